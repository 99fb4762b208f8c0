/** One round trip of a test member: sign-in, credentials, and a message that is posted, listed and deleted. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Env } from '../../../../app/server/config/env.ts';
import { type IdentityPool, providerNameOf } from '../../../../app/server/identity/identity-pool.ts';
import { UpstreamError } from '../../../../app/server/resilience/upstream-error.ts';
import { signRequest } from '../../../../app/server/signing/signing.ts';
import { type Finding, FindingError, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';
import { type Member, type MemberTokens, signInMember, signOutMember } from './member-sign-in.ts';
import { createService, type Service } from './service.ts';

type MemberEnv = Pick<Env, 'userPool' | 'dataApi'>;
type Deps = { pool: IdentityPool; timeoutMs: number; onSecret: (value: string) => void };

const CREATE = 'mutation Create($content: String!) { createMessage(content: $content) { id } }';
const LIST = 'query List { listMessages(limit: 50) { items { id mine } } }';
const DELETE = 'mutation Delete($id: ID!) { deleteMessage(id: $id) { id } }';

const reply = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ errorType: z.string().nullish(), message: z.string().nullish() })).nullish(),
});
const created = z.object({ createMessage: z.object({ id: z.string() }) });
const listed = z.object({
  listMessages: z.object({ items: z.array(z.object({ id: z.string(), mine: z.boolean() })) }),
});

/** The check of the round trip. */
export function createMemberChecks(env: MemberEnv, member: Member, deps: Deps): Check[] {
  return [{ name: 'Round trip', run: (signal) => makeRoundTrip(env, member, deps, signal) }];
}

async function makeRoundTrip(
  env: MemberEnv,
  member: Member,
  deps: Deps,
  signal: AbortSignal,
): Promise<Finding> {
  const setting = 'COGNITO_USER_POOL_ID';
  const userPools = createService({ name: 'The user pools API', setting, timeoutMs: deps.timeoutMs });
  const tokens = await signInMember(env.userPool, member, userPools, signal);
  for (const token of Object.values(tokens)) deps.onSecret(token);
  try {
    const call = await createCaller(env, tokens, deps, signal);
    return await postAndDelete(call);
  } finally {
    await signOutMember(env.userPool, tokens, userPools, signal);
  }
}

/** Calls an operation of the data API. Throws a `FindingError` when it fails. */
type CallApi = (operation: string, query: string, variables: object) => Promise<unknown>;

async function postAndDelete(call: CallApi): Promise<Finding> {
  const content = `Test of npm run doctor (${randomBytes(4).toString('hex')})`;
  const { id } = created.parse(await call('createMessage', CREATE, { content })).createMessage;
  let isListed = false;
  try {
    const { items } = listed.parse(await call('listMessages', LIST, {})).listMessages;
    isListed = items.some((item) => item.id === id && item.mine);
  } finally {
    await call('deleteMessage', DELETE, { id });
  }
  return isListed
    ? ok('The test member posted a message, found it in the list and deleted it.')
    : problem('member-message-not-listed', {});
}

/** Requests are signed with credentials of the identity pool, or carry the access token, as the site's do. */
async function createCaller(
  { userPool, dataApi }: MemberEnv,
  tokens: MemberTokens,
  { pool, timeoutMs, onSecret }: Deps,
  signal: AbortSignal,
): Promise<CallApi> {
  const service = createService({ name: 'The data API', setting: 'GRAPHQL_ENDPOINT', timeoutMs });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const url = new URL(dataApi.endpoint);
  let authorize = async (_body: string): Promise<Record<string, string>> => ({
    ...headers,
    authorization: tokens.accessToken,
  });
  if (dataApi.authMode === 'iam') {
    const logins = { [providerNameOf(userPool.issuer)]: tokens.idToken };
    const credentials = await readCredentials(pool, logins, signal);
    for (const value of Object.values(credentials)) onSecret(value);
    const unsigned = { method: 'POST', url, headers, region: dataApi.region, service: 'appsync' };
    authorize = async (body) => {
      const signingDate = new Date(Date.now() + (service.clockOffset() ?? 0));
      // `fetch` sends the host itself.
      const { host: _, ...sent } = await signRequest({ ...unsigned, body, credentials, signingDate });
      return sent;
    };
  }
  return (operation, query, variables) =>
    callApi(service, { url, authorize, operation, body: JSON.stringify({ query, variables }) }, signal);
}

async function readCredentials(pool: IdentityPool, logins: Record<string, string>, signal: AbortSignal) {
  try {
    return (await pool.getCredentials(await pool.getId(logins, signal), logins, signal)).credentials;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    throw new FindingError(problem('member-credentials-refused', { reason: error.code }));
  }
}

type ApiCall = {
  url: URL;
  authorize: (body: string) => Promise<Record<string, string>>;
  operation: string;
  body: string;
};

async function callApi(
  service: Service,
  { url, authorize, operation, body }: ApiCall,
  signal: AbortSignal,
): Promise<unknown> {
  const { status, json } = await service.send(
    url,
    { method: 'POST', headers: await authorize(body), body },
    signal,
  );
  const { data, errors } = reply.safeParse(json).data ?? {};
  if (status === 200 && data && !errors?.length) return data;
  const reason = errors?.[0]?.errorType ?? `status ${status}`;
  throw new FindingError(problem('member-call-failed', { operation, reason }));
}

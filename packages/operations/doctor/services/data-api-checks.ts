/** The data API: its region, invalid tokens, signed requests and introspection. Nothing is read or changed. */
import { z } from 'zod';
import type { Env } from '../../../../app/server/config/env.ts';
import { parseAwsError } from '../../../../app/server/resilience/upstream-response.ts';
import { signRequest } from '../../../../app/server/signing/signing.ts';
import { type Finding, notChecked, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';
import { createClockCheck } from './clock-check.ts';
import type { Guest } from './guest.ts';
import { createService, type Reply, type Service } from './service.ts';

type ApiEnv = Env['dataApi'];

const HEADERS = { 'content-type': 'application/json', accept: 'application/json' };
const INTROSPECTION = JSON.stringify({ query: '{ __schema { queryType { name } } }' });

const errorBody = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ errorType: z.string().nullish(), message: z.string().nullish() })).nullish(),
});

/** The checks of the data API that `env` configures. Signed requests use the credentials of `guest`. */
export function createDataApiChecks(
  { dataApi }: Pick<Env, 'dataApi'>,
  guest: Guest,
  timeoutMs: number,
): Check[] {
  const service = createService({ name: 'The data API', setting: 'GRAPHQL_ENDPOINT', timeoutMs });
  return [
    { name: 'Region', run: async () => checkRegion(dataApi) },
    { name: 'Invalid token', run: (signal) => checkInvalidToken(dataApi, service, signal) },
    createClockCheck(service),
    { name: 'Signed request', run: (signal) => checkSignedRequest(dataApi, guest, service, signal) },
  ];
}

/** Endpoints without a custom domain name their region: `{id}.appsync-api.{region}.amazonaws.com`. */
function checkRegion({ endpoint, region }: ApiEnv): Finding {
  const endpointRegion = /\.appsync-api\.([a-z0-9-]+)\.amazonaws\./.exec(new URL(endpoint).hostname)?.[1];
  return endpointRegion === undefined || endpointRegion === region
    ? ok(`Requests are signed for the region ${region}.`)
    : problem('graphql-region-mismatch', { endpointRegion, region });
}

/** AppSync responds with 401 to a token that it cannot verify, in every authorization mode. */
async function checkInvalidToken(
  { endpoint }: ApiEnv,
  service: Service,
  signal: AbortSignal,
): Promise<Finding> {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = `${part({ alg: 'RS256', kid: 'none' })}.${part({ token_use: 'access' })}.${part('none')}`;
  const headers = { ...HEADERS, authorization: token };
  const { status, json } = await service.send(
    endpoint,
    { method: 'POST', headers, body: INTROSPECTION },
    signal,
  );
  if (status === 401) return ok(`${endpoint} rejects an invalid token.`);
  const isGraphql = errorBody.safeParse(json).success;
  if (status === 200 && isGraphql) return problem('graphql-invalid-token-accepted', {});
  if (status === 429) return notChecked('The data API responds with status 429.');
  return problem('graphql-endpoint-wrong', { endpoint, status });
}

async function checkSignedRequest(
  api: ApiEnv,
  guest: Guest,
  service: Service,
  signal: AbortSignal,
): Promise<Finding | readonly Finding[]> {
  if (api.authMode === 'userPool') return ok('GRAPHQL_AUTH_MODE is userPool: the site signs no requests.');
  const issued = await guest.credentials().catch(() => null);
  if (issued === null) {
    return notChecked('A signed request needs the credentials of a guest, and there are none.');
  }
  const url = new URL(api.endpoint);
  const headers = await signRequest({
    method: 'POST',
    url,
    headers: HEADERS,
    body: INTROSPECTION,
    region: api.region,
    service: 'appsync',
    credentials: issued.credentials,
    signingDate: new Date(Date.now() + (service.clockOffset() ?? 0)),
  });
  // `fetch` sends the host itself.
  const { host: _, ...sent } = headers;
  const reply = await service.send(url, { method: 'POST', headers: sent, body: INTROSPECTION }, signal);
  return assessSignedReply(reply, api);
}

/** A guest has no permission in the API, but the service verifies the signature first. */
function assessSignedReply(
  { status, headers, json }: Reply,
  { region, endpoint }: ApiEnv,
): Finding | Finding[] {
  const { data, errors } = errorBody.safeParse(json).data ?? {};
  const awsError = parseAwsError({ status, headers }, json);
  const reason = errors?.[0]?.errorType ?? awsError.code;
  const text = errors?.[0]?.message ?? awsError.message;
  const accepted = ok('The data API accepts the signature.');
  if (status === 200) return data?.__schema ? [accepted, problem('introspection-enabled', {})] : accepted;
  if (status === 401 && /jwt|token|authorization header/i.test(text)) {
    return problem('graphql-iam-not-enabled', {});
  }
  if (status === 401) return accepted;
  if (status !== 403) return problem('graphql-endpoint-wrong', { endpoint, status });
  return /region/i.test(text)
    ? problem('graphql-region-rejected', { region })
    : problem('graphql-signature-rejected', { reason });
}

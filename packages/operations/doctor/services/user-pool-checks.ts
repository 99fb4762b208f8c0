/** The user pool: signing keys, discovery document, and the operation that refreshes sessions. */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Env } from '../../../../app/server/config/env.ts';
import { parseAwsError } from '../../../../app/server/resilience/upstream-response.ts';
import { type Finding, notChecked, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';
import { createClockCheck } from './clock-check.ts';
import { createService, type Service } from './service.ts';

type UserPoolEnv = Env['userPool'];

const keySet = z.object({ keys: z.array(z.object({ kid: z.string(), kty: z.literal('RSA') })).min(1) });
const discovery = z.object({ issuer: z.string(), authorization_endpoint: z.url().optional() });

/** A value that is no token, so that the service rejects it after it has checked everything else. */
const NO_TOKEN = 'not-a-token';

/** The checks of the user pool that `env` configures. `onMissingClient` is called if the app client does not exist. */
export function createUserPoolChecks(
  { userPool: pool }: Pick<Env, 'userPool'>,
  { timeoutMs, onMissingClient }: { timeoutMs: number; onMissingClient: () => void },
): Check[] {
  const setting = 'COGNITO_USER_POOL_ID and COGNITO_ISSUER';
  const keys = createService({ name: 'The user pool', setting, timeoutMs });
  const api = createService({ name: 'The user pools API', setting, timeoutMs });
  return [
    { name: 'Signing keys', run: (signal) => checkKeys(pool, keys, signal) },
    { name: 'Discovery document', run: (signal) => checkDiscovery(pool, keys, signal) },
    createClockCheck(keys),
    {
      name: 'App client',
      async run(signal) {
        const finding = await checkRefreshOperation(pool, api, signal);
        if ('code' in finding && finding.code === 'client-not-found') onMissingClient();
        return finding;
      },
    },
  ];
}

async function checkKeys({ issuer }: UserPoolEnv, service: Service, signal: AbortSignal): Promise<Finding> {
  const url = `${issuer}/.well-known/jwks.json`;
  const { status, json } = await service.send(url, {}, signal);
  if (status !== 200) return problem('user-pool-not-found', { issuer, status });
  const found = keySet.safeParse(json).data;
  if (found) return ok(`The user pool has ${found.keys.length} signing keys.`);
  return problem('service-unexpected', {
    service: service.name,
    address: url,
    setting: 'COGNITO_ISSUER',
    expected: 'a set of RSA keys',
  });
}

async function checkDiscovery(
  { issuer, domain }: UserPoolEnv,
  service: Service,
  signal: AbortSignal,
): Promise<Finding> {
  const { json } = await service.send(`${issuer}/.well-known/openid-configuration`, {}, signal);
  const found = discovery.safeParse(json).data;
  if (!found) return notChecked('The user pool has no discovery document.');
  if (found.issuer !== issuer) return problem('issuer-mismatch', { issuer, actual: found.issuer });
  const actual = found.authorization_endpoint && new URL(found.authorization_endpoint).origin;
  if (actual && actual !== domain) return problem('other-hosted-login', { actual, domain });
  return ok(`The issuer is ${issuer}.`);
}

/** Sends a refresh with a value that is no token. The error shows whether the app client allows the operation. */
async function checkRefreshOperation(
  pool: UserPoolEnv,
  service: Service,
  signal: AbortSignal,
): Promise<Finding> {
  const { refreshOperation: operation, region, clientId: client, endpoint } = pool;
  const headers = {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': `AWSCognitoIdentityProviderService.${operation}`,
  };
  const body = JSON.stringify(operation === 'InitiateAuth' ? initiateAuthInput(pool) : refreshInput(pool));
  const reply = await service.send(`${endpoint}/`, { method: 'POST', headers, body }, signal);
  const { code, message } = parseAwsError(reply, reply.json);
  if (code === 'ResourceNotFoundException') return problem('client-not-found', { client, region });
  if (/not enabled|rotation/i.test(message)) {
    const other = operation === 'InitiateAuth' ? 'GetTokensFromRefreshToken' : 'InitiateAuth';
    return problem('refresh-operation-not-allowed', { operation, other });
  }
  if (code === 'NotAuthorizedException' || code === 'InvalidParameterException') {
    return ok(`The app client ${client} exists and allows ${operation}.`);
  }
  return notChecked(`The user pools API responds with ${code} (status ${reply.status}).`);
}

function refreshInput({ clientId, clientSecret }: UserPoolEnv) {
  return {
    ClientId: clientId,
    RefreshToken: NO_TOKEN,
    ...(clientSecret === null ? {} : { ClientSecret: clientSecret }),
  };
}

/** AWS, "Computing secret hash values". The user does not exist. */
function initiateAuthInput({ clientId, clientSecret }: UserPoolEnv) {
  const hash = () =>
    createHmac('sha256', clientSecret ?? '')
      .update(`nobody${clientId}`)
      .digest('base64');
  return {
    ClientId: clientId,
    AuthFlow: 'REFRESH_TOKEN_AUTH',
    AuthParameters: {
      REFRESH_TOKEN: NO_TOKEN,
      ...(clientSecret === null ? {} : { SECRET_HASH: hash() }),
    },
  };
}

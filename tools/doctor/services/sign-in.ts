/**
 * The user pool and its hosted login: signing keys, clock, app client, secret, callback URL and sign-out. The requests
 * carry values that are no codes and no tokens, and the rejection shows which part was accepted.
 */
import { createHmac, hash, randomUUID } from 'node:crypto';
import { createLogoutUrl, SCOPES } from '@tenfold/cognito-session/operations';
import { z } from 'zod';
import type { Env } from '../../../app/server/config/env.ts';
import { type Finding, FindingError, failure, notChecked, ok, warning } from '../finding.ts';
import { createServiceSend, type Reply, type Send } from './http.ts';

/** The site compensates at most this much when it verifies tokens (`user-pool/token-verifier.ts`). */
const MAX_DRIFT_SECONDS = 15 * 60;
const ACCURATE_SECONDS = 60;

const keySet = z.object({ keys: z.array(z.object({ kty: z.literal('RSA') })).min(1) });
const discovery = z.object({ issuer: z.string(), authorization_endpoint: z.url() });
const oauthError = z.object({ error: z.string() });
const awsError = z.object({ __type: z.string(), message: z.string().default('') });

export async function* checkSignIn(env: Env, send: Send): AsyncGenerator<Finding, void> {
  const { userPool } = env;
  yield* checkUserPool(
    userPool,
    createServiceSend(send, 'The user pool', 'COGNITO_USER_POOL_ID and COGNITO_ISSUER'),
  );
  yield await checkClient(userPool, createServiceSend(send, 'The user pools API', 'COGNITO_USER_POOL_ID'));
  const sendToLogin = createServiceSend(send, 'The hosted login', 'COGNITO_DOMAIN');
  yield await checkSecret(env, sendToLogin);
  yield await checkAuthorization(env, sendToLogin);
  yield await checkSignOut(env, sendToLogin);
}

async function* checkUserPool(
  { issuer, domain }: Env['userPool'],
  send: Send,
): AsyncGenerator<Finding, void> {
  const keys = await send(`${issuer}/.well-known/jwks.json`);
  if (keys.status !== 200 || !keySet.safeParse(keys.json).success) {
    const text = `There is no user pool at ${issuer}: no signing keys (status ${keys.status}).`;
    throw new FindingError(failure(text, 'Set COGNITO_USER_POOL_ID to the id of the user pool.'));
  }
  yield ok('The user pool has signing keys.');
  yield assessClock(keys);
  const found = discovery.safeParse((await send(`${issuer}/.well-known/openid-configuration`)).json).data;
  if (!found) return;
  if (found.issuer !== issuer) {
    const text = `The user pool names another issuer than ${issuer}. The site rejects its tokens.`;
    yield failure(text, `Set COGNITO_ISSUER=${found.issuer}`);
  }
  const { origin } = new URL(found.authorization_endpoint);
  if (origin !== domain) {
    const text = `The user pool names ${origin} as its hosted login, but COGNITO_DOMAIN is ${domain}.`;
    yield warning(text, 'Set COGNITO_DOMAIN to a domain of this user pool.');
  }
}

function assessClock({ clockOffset }: Reply): Finding {
  if (clockOffset === null) return notChecked('The user pool does not state the time.');
  const seconds = Math.round(Math.abs(clockOffset) / 1000);
  if (seconds <= ACCURATE_SECONDS) return ok('The clock of this machine agrees with the user pool.');
  const text = `The clock of this machine is ${seconds} seconds off the clock of the user pool.`;
  const fix = 'Synchronize the clock of the machine (NTP), for example with chrony or systemd-timesyncd.';
  return seconds > MAX_DRIFT_SECONDS
    ? failure(`${text} The site compensates at most 15 minutes.`, fix)
    : warning(text, fix);
}

/** A refresh with a value that is no token. */
async function checkClient(
  { refreshOperation: operation, region, clientId, clientSecret, endpoint }: Env['userPool'],
  send: Send,
): Promise<Finding> {
  const input =
    operation === 'InitiateAuth' ? initiateAuthInput(clientId, clientSecret) : refreshInput(clientSecret);
  const { status, json } = await send(`${endpoint}/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `AWSCognitoIdentityProviderService.${operation}`,
    },
    body: JSON.stringify({ ClientId: clientId, ...input }),
  });
  const { __type: type = '', message = '' } = awsError.safeParse(json).data ?? {};
  if (type.endsWith('ResourceNotFoundException')) {
    const text = `The app client ${clientId} does not exist in the region ${region}.`;
    throw new FindingError(
      failure(
        text,
        'Set COGNITO_CLIENT_ID to the id of an app client of the user pool in COGNITO_USER_POOL_ID.',
      ),
    );
  }
  if (/not enabled|rotation/i.test(message)) {
    const other = operation === 'InitiateAuth' ? 'GetTokensFromRefreshToken' : 'InitiateAuth';
    return failure(
      `The app client does not allow the refresh operation ${operation}. Sessions end after an hour.`,
      `Set COGNITO_REFRESH_OPERATION=${other}, or change the refresh token rotation of the app client.`,
    );
  }
  return /NotAuthorizedException|InvalidParameterException$/.test(type)
    ? ok(`The app client ${clientId} exists and allows ${operation}.`)
    : notChecked(`The user pools API responds with status ${status} to a refresh.`);
}

function refreshInput(clientSecret: string | null) {
  return { RefreshToken: 'no-token', ...(clientSecret === null ? {} : { ClientSecret: clientSecret }) };
}

/** AWS, "Computing secret hash values". The user does not exist. */
function initiateAuthInput(clientId: string, clientSecret: string | null) {
  const hash = createHmac('sha256', clientSecret ?? '')
    .update(`no-user${clientId}`)
    .digest('base64');
  const secretHash = clientSecret === null ? {} : { SECRET_HASH: hash };
  return {
    AuthFlow: 'REFRESH_TOKEN_AUTH',
    AuthParameters: { REFRESH_TOKEN: 'no-token', ...secretHash },
  };
}

/** Exchanges a code that does not exist. The endpoint checks the client first (RFC 6749 section 5.2). */
async function checkSecret({ appOrigin, userPool }: Env, send: Send): Promise<Finding> {
  const { clientId, clientSecret, domain } = userPool;
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const { status, json } = await send(`${domain}/oauth2/token`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(clientSecret === null ? {} : { authorization: `Basic ${basic}` }),
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code: 'no-code',
      code_verifier: 'no-verifier-of-forty-three-characters-or-more',
      redirect_uri: `${appOrigin}/auth/callback`,
    }).toString(),
  });
  const error = oauthError.safeParse(json).data?.error ?? '';
  if (error === 'invalid_grant') return ok('The token endpoint accepts the app client and its secret.');
  if (error.startsWith('invalid_client')) {
    return failure(
      clientSecret === null
        ? 'The token endpoint requires a client secret, but COGNITO_CLIENT_SECRET is not set.'
        : 'The token endpoint rejects COGNITO_CLIENT_SECRET. Sign-ins fail, and no session is refreshed.',
      `Set COGNITO_CLIENT_SECRET to the secret of the app client ${clientId}, or remove it if the client has none.`,
    );
  }
  if (error === 'unauthorized_client') return grantNotAllowed;
  if (status === 429) return notChecked('The token endpoint rejects the request for now (status 429).');
  return failure(`There is no token endpoint at ${domain} (status ${status}).`, 'Correct COGNITO_DOMAIN.');
}

const grantNotAllowed = failure(
  'The app client does not allow the authorization code grant.',
  'Allow the OAuth grant type "Authorization code grant" for the app client.',
);

/** Sends an authorization request as the site does, without cookies, and follows it to the sign-in page. */
async function checkAuthorization(env: Env, send: Send): Promise<Finding> {
  const location = authorizationUrl(env);
  const target = redirectTarget(await send(location), location);
  const url = `${env.appOrigin}/auth/callback`;
  const error = target ? target.searchParams.get('error') : 'no redirect';
  if (error === 'redirect_mismatch') {
    const fix = `Add ${url} to the allowed callback URLs of the app client, or correct APP_ORIGIN.`;
    return failure(`The hosted login rejects the callback URL ${url}.`, fix);
  }
  if (error === 'unauthorized_client') return grantNotAllowed;
  if (!target || error !== null) {
    return failure(
      `The hosted login rejects the authorization request of the site (${error?.slice(0, 60)}).`,
      `Check COGNITO_DOMAIN, and the scopes of the app client: ${new URL(location).searchParams.get('scope')}.`,
    );
  }
  // With a single external identity provider, the hosted login redirects to that at once.
  const status = target.origin === env.userPool.domain ? (await send(target)).status : 200;
  if (status < 400) return ok(`The hosted login accepts the callback URL ${url}.`);
  return failure(
    `The hosted login shows no sign-in page (status ${status}).`,
    'Create a managed login branding style for the app client, and allow an identity provider for it.',
  );
}

/** Returns the address of an authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3). */
export function authorizationUrl({ appOrigin, userPool }: Pick<Env, 'appOrigin' | 'userPool'>): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: userPool.clientId,
    redirect_uri: `${appOrigin}/auth/callback`,
    scope: SCOPES.join(' '),
    state: randomUUID(),
    code_challenge: hash('sha256', randomUUID(), 'base64url'),
    code_challenge_method: 'S256',
  });
  return `${userPool.domain}/oauth2/authorize?${query}`;
}

/** The sign-out of a visitor who is not signed in has no effect but the redirect. */
async function checkSignOut(env: Env, send: Send): Promise<Finding> {
  const location = createLogoutUrl(env);
  const url = `${env.appOrigin}/`;
  const reply = await send(location);
  if (redirectTarget(reply, location)?.href === url) return ok(`The sign-out returns to ${url}.`);
  return failure(
    `The hosted login rejects the sign-out URL ${url}. Visitors do not return to the site after signing out.`,
    `Add ${url}, with its trailing slash, to the allowed sign-out URLs of the app client.`,
  );
}

function redirectTarget({ status, location }: Reply, base: string): URL | null {
  const isRedirect = status >= 300 && status < 400 && location !== undefined;
  return isRedirect && URL.canParse(location, base) ? new URL(location, base) : null;
}

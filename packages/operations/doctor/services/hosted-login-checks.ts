/** The hosted login: the client secret, the authorization request, and the sign-out. */
import { z } from 'zod';
import type { Env } from '../../../../app/server/config/env.ts';
import { createLogoutUrl } from '../../../../app/server/user-pool/hosted-login.ts';
import { type Finding, notChecked, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';
import { createAuthorizationUrl } from './authorization-url.ts';
import { createService, type Reply, type Service } from './service.ts';

type LoginEnv = Pick<Env, 'appOrigin' | 'userPool'>;

const oauthError = z.object({ error: z.string() });

/** The checks of the hosted login that `env` configures. `hasClient` returns whether the app client exists. */
export function createHostedLoginChecks(
  env: LoginEnv,
  { timeoutMs, hasClient }: { timeoutMs: number; hasClient: () => boolean },
): Check[] {
  const service = createService({
    name: 'The hosted login',
    setting: 'COGNITO_DOMAIN',
    timeoutMs,
    explainUnknownHost: (host) =>
      host.endsWith('.amazoncognito.com') ? null : problem('custom-domain-without-dns', { host }),
  });
  type Run = (env: LoginEnv, service: Service, signal: AbortSignal) => Promise<Finding>;
  const withClient = (name: string, run: Run): Check => ({
    name,
    async run(signal) {
      return hasClient() ? run(env, service, signal) : notChecked('The app client does not exist.');
    },
  });
  return [
    withClient('Client secret', checkSecret),
    withClient('Authorization request', checkAuthorization),
    withClient('Sign-out', checkSignOut),
  ];
}

/** Exchanges a code that does not exist. The endpoint checks the client first (RFC 6749 section 5.2). */
async function checkSecret(
  { appOrigin, userPool }: LoginEnv,
  service: Service,
  signal: AbortSignal,
): Promise<Finding> {
  const { clientId: client, clientSecret, domain } = userPool;
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: client,
    code: 'no-code',
    code_verifier: 'no-verifier-of-forty-three-characters-or-more',
    redirect_uri: `${appOrigin}/auth/callback`,
  });
  const credentials = Buffer.from(`${client}:${clientSecret}`).toString('base64');
  const headers: Record<string, string> =
    clientSecret === null ? {} : { authorization: `Basic ${credentials}` };
  const url = `${domain}/oauth2/token`;
  const { status, json } = await service.send(url, { method: 'POST', headers, body }, signal);
  const error = oauthError.safeParse(json).data?.error ?? '';
  if (error.startsWith('invalid_client')) {
    return problem(clientSecret === null ? 'client-secret-missing' : 'client-secret-rejected', { client });
  }
  if (error === 'unauthorized_client') return problem('code-grant-not-allowed', {});
  if (error === 'invalid_grant') {
    return ok(`The token endpoint accepts the app client${clientSecret === null ? '' : ' and its secret'}.`);
  }
  if (status === 429) return notChecked('The token endpoint rejects the request for now (status 429).');
  return problem('service-unexpected', {
    service: service.name,
    address: url,
    setting: 'COGNITO_DOMAIN',
    expected: 'that of a token endpoint',
  });
}

/** Sends the site's own authorization request, without cookies, and follows it to the sign-in page. */
async function checkAuthorization(env: LoginEnv, service: Service, signal: AbortSignal): Promise<Finding> {
  const location = await createAuthorizationUrl(env);
  const reply = await service.send(location, {}, signal);
  const target = redirectTarget(reply, location);
  if (!target) return rejected(`status ${reply.status}`);
  const redirectUri = new URL(location).searchParams.get('redirect_uri') ?? '';
  const error = target.searchParams.get('error');
  if (error !== null) return explainError(error, redirectUri, new URL(location));
  // With a single external identity provider, the hosted login redirects to that at once.
  if (target.origin !== env.userPool.domain) return ok('The hosted login accepts the request.');
  const page = await service.send(target, {}, signal);
  if (page.status < 400) return ok(`The hosted login accepts the callback URL ${redirectUri}.`);
  const address = target.origin + target.pathname;
  return problem('login-page-unavailable', { address, status: page.status });
}

/** RFC 6749 section 4.1.2.1. Errors of the client and the callback URL lead to a page of the hosted login. */
function explainError(error: string, url: string, { searchParams }: URL): Finding {
  switch (error) {
    case 'redirect_mismatch':
      return problem('callback-url-not-registered', { url });
    case 'invalid_scope':
      return problem('scope-not-allowed', { scopes: searchParams.get('scope') ?? '' });
    case 'unauthorized_client':
      return problem('code-grant-not-allowed', {});
    default:
      return rejected(error.slice(0, 60));
  }
}

function rejected(reason: string): Finding {
  return problem('authorization-rejected', { reason });
}

/** The sign-out of a visitor who is not signed in has no effect but the redirect. */
async function checkSignOut(env: LoginEnv, service: Service, signal: AbortSignal): Promise<Finding> {
  const location = createLogoutUrl(env);
  const reply = await service.send(location, {}, signal);
  const url = `${env.appOrigin}/`;
  if (redirectTarget(reply, location)?.href === url) return ok(`The sign-out returns to ${url}.`);
  if (reply.status === 429) return notChecked('The hosted login responds with status 429.');
  return problem('sign-out-url-not-registered', { url });
}

function redirectTarget({ status, headers }: Reply, base: string): URL | null {
  const location = headers.get('location');
  return status >= 300 && status < 400 && location !== null && URL.canParse(location, base)
    ? new URL(location, base)
    : null;
}

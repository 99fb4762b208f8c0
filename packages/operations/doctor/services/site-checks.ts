/** Checks of the running site, through all proxies in front of it. */
import type { Env } from '../../../../app/server/config/env.ts';
import { type Finding, FindingError, notChecked, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';
import { createAuthorizationUrl } from './authorization-url.ts';
import { networkErrorReason, type Reply, sendRequest } from './service.ts';

type SiteEnv = Pick<Env, 'appOrigin' | 'userPool' | 'session'>;
type Get = (path: string, signal: AbortSignal) => Promise<Reply>;

const CERTIFICATE_ERROR = /CERT|SIGNATURE|SELF_SIGNED|ALTNAME/;

/** The checks of the site at `APP_ORIGIN`. They are skipped when nothing responds there. */
export function createSiteChecks(env: SiteEnv, timeoutMs: number): Check[] {
  let isReached = false;
  const get: Get = (path, signal) =>
    sendRequest(new URL(path, env.appOrigin), {}, signal, timeoutMs).catch((error: unknown) => {
      throw new FindingError(explainFailure(env.appOrigin, networkErrorReason(error)));
    });
  const whenReached = (
    name: string,
    run: (env: SiteEnv, get: Get, signal: AbortSignal) => Promise<Finding>,
  ) => ({
    name,
    run: async (signal: AbortSignal) =>
      isReached ? run(env, get, signal) : notChecked('This needs the running site.'),
  });
  return [
    {
      name: 'Running site',
      async run(signal) {
        const finding = await checkHealth(env, get, signal);
        isReached = finding.status === 'ok';
        return finding;
      },
    },
    whenReached('Sign-in', checkSignIn),
    whenReached('Paths', checkPaths),
  ];
}

function explainFailure(origin: string, reason: string): Finding {
  return CERTIFICATE_ERROR.test(reason)
    ? problem('site-certificate-invalid', { origin, reason })
    : notChecked(`The site does not respond at ${origin} (${reason}). Run this again when it runs.`);
}

async function checkHealth({ appOrigin: origin }: SiteEnv, get: Get, signal: AbortSignal): Promise<Finding> {
  const { status, headers, text } = await get('/healthz', signal);
  const isSite = status === 200 && text === 'ok\n' && headers.has('x-request-id');
  return isSite ? ok(`The site runs at ${origin}.`) : problem('other-server-at-origin', { origin, status });
}

/** Starts a sign-in. The redirect contains the configuration with which the site runs. */
async function checkSignIn(env: SiteEnv, get: Get, signal: AbortSignal): Promise<Finding> {
  const { appOrigin: origin } = env;
  const { status, headers } = await get('/auth/sign-in', signal);
  if (status === 421) return problem('host-not-passed', { origin });
  const location = headers.get('location') ?? '';
  if (status !== 302 || !URL.canParse(location)) {
    return problem('proxy-changes-responses', { origin, change: `/auth/sign-in has the status ${status}` });
  }
  const variables = differences(new URL(location), new URL(await createAuthorizationUrl(env)));
  if (variables.length > 0)
    return problem('running-site-differs', { origin, variables: variables.join(', ') });
  const removed = removedHeader(headers, env);
  return removed === null
    ? ok('The running site has this configuration, and its headers reach the browser unchanged.')
    : problem('proxy-changes-responses', { origin, change: `${removed} is missing or changed` });
}

/** The variables that two authorization requests differ in. */
function differences(actual: URL, expected: URL): string[] {
  const differs = (name: string) => actual.searchParams.get(name) !== expected.searchParams.get(name);
  return [
    ...(actual.origin === expected.origin ? [] : ['COGNITO_DOMAIN']),
    ...(differs('client_id') ? ['COGNITO_CLIENT_ID'] : []),
    ...(differs('redirect_uri') ? ['APP_ORIGIN'] : []),
  ];
}

function removedHeader(headers: Headers, { session }: SiteEnv): string | null {
  if (!headers.get('cache-control')?.includes('no-store')) return 'Cache-Control';
  const cookie = headers.getSetCookie().find((line) => line.includes('oauth.')) ?? '';
  const attributes = cookie.split('; ').map((attribute) => attribute.toLowerCase());
  const expected = ['httponly', 'path=/', 'samesite=lax', ...(session.secure ? ['secure'] : [])];
  return expected.every((attribute) => attributes.includes(attribute)) ? null : 'Set-Cookie';
}

/** The site redirects a path with a trailing slash to the path without it. */
async function checkPaths({ appOrigin: origin }: SiteEnv, get: Get, signal: AbortSignal): Promise<Finding> {
  const { status, headers } = await get('/fr/', signal);
  if (status === 421) return notChecked('The site rejects the Host header.');
  const location = headers.get('location') ?? '';
  return status === 301 && URL.canParse(location, origin) && new URL(location, origin).href === `${origin}/fr`
    ? ok('Paths reach the site unchanged.')
    : problem('proxy-changes-responses', {
        origin,
        change: `/fr/ is not redirected to /fr (status ${status})`,
      });
}

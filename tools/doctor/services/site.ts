/** The running site, through all proxies in front of it. */
import type { Env } from '../../../app/server/config/env.ts';
import { type Finding, failure, notChecked, ok } from '../finding.ts';
import { type Reply, reasonOf, type Send } from './http.ts';
import { authorizationUrl } from './sign-in.ts';

const CERTIFICATE_ERROR = /CERT|SIGNATURE|SELF_SIGNED|ALTNAME/;

export async function* checkSite(env: Env, send: Send): AsyncGenerator<Finding, void> {
  const { appOrigin: origin } = env;
  const health = await send(new URL('/healthz', origin)).catch(reasonOf);
  if (typeof health === 'string') {
    return yield CERTIFICATE_ERROR.test(health)
      ? failure(
          `The certificate of ${origin} is not valid (${health}).`,
          'Install a certificate for this host name, with its intermediate certificates, at the proxy.',
        )
      : notChecked(`The site does not respond at ${origin} (${health}). Run this again when it runs.`);
  }
  if (health.status !== 200 || health.text !== 'ok\n') {
    const text = `Another server than this site responds at ${origin} (status ${health.status} for /healthz).`;
    return yield failure(text, 'Correct APP_ORIGIN, or route all paths of this host to the site.');
  }
  yield ok(`The site runs at ${origin}.`);
  yield await checkSignIn(env, await send(new URL('/auth/sign-in', origin)));
}

/** The redirect of a sign-in contains the configuration with which the site runs. */
async function checkSignIn(env: Env, reply: Reply): Promise<Finding> {
  const { appOrigin: origin } = env;
  if (reply.status === 421) {
    return failure(
      `The site rejects requests to ${origin} because of another Host header (status 421).`,
      `Configure the proxy to pass the Host header unchanged, and set APP_ORIGIN of the running site to ${origin}.`,
    );
  }
  const location = reply.location ?? '';
  const changed = URL.canParse(location) ? changedHeader(reply, env) : 'Location';
  if (changed !== null) {
    return failure(
      `A proxy in front of ${origin} changes responses: ${changed} is missing or changed.`,
      'Configure the proxy to pass paths and the headers Cache-Control, Location and Set-Cookie unchanged.',
    );
  }
  const variables = differences(new URL(location), new URL(authorizationUrl(env)));
  return variables.length === 0
    ? ok('The running site has this configuration, and its headers reach the browser unchanged.')
    : failure(
        `The site at ${origin} runs with another value of ${variables.join(', ')} than this configuration.`,
        'Deploy the configuration and restart the site, or check the environment file of the running site.',
      );
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

function changedHeader({ headers }: Reply, { session }: Env): string | null {
  if (!headers['cache-control']?.includes('no-store')) return 'Cache-Control';
  const cookie = [headers['set-cookie'] ?? []].flat().find((line) => line.includes('oauth.')) ?? '';
  const attributes = cookie.toLowerCase().split('; ');
  const expected = ['httponly', 'path=/', 'samesite=lax', ...(session.secure ? ['secure'] : [])];
  return expected.every((attribute) => attributes.includes(attribute)) ? null : 'Set-Cookie';
}

/** Calls of the site to its upstreams through a proxy for outgoing requests. */
import { createServer } from 'node:http';
import type { LocalCloud } from '@tenfold/local-cloud';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDispatcher } from '../../../packages/upstream/src/upstream-dispatcher.ts';
import { startForwardProxy } from '../../support/http/forward-proxy.ts';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';
import { shippedQuery } from '../../support/http/shipped-operations.ts';
import { startLocalCloud } from '../../support/local-cloud.ts';
import { registerSecret } from '../../support/secrets/secret-detection.ts';
import { createCookieStore } from '../../support/sign-in/cookie-store.ts';
import { createHostedLoginVisitor, PASSWORD } from '../../support/sign-in/hosted-login.ts';
import { claimsIssuedAt, startScriptedUserPool } from '../../support/upstreams/scripted-user-pool.ts';

const CLOUD = 'http://cloud.example';
const TARGET = 'cloud.example:80';

// The dispatchers read the variables when their modules are loaded.
beforeEach(() => {
  vi.resetModules();
  for (const name of ['http_proxy', 'https_proxy', 'no_proxy']) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toUpperCase(), undefined);
  }
});

// Other files load the modules again, without a proxy.
afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** One process of the site that knows the local cloud by a name which only the proxy can resolve. */
async function openSite(cloud: LocalCloud) {
  const { siteEnv, APP_ORIGIN } = await import('../../support/sign-in/signed-in-session.ts');
  const { createAuthRoutes } = await import('../../support/sign-in/auth-routes.ts');
  const { userPool, identityPool, dataApi, ...env } = siteEnv(cloud);
  const renamed = (address: string) => address.replace(cloud.origin, CLOUD);
  const { visit } = createAuthRoutes({
    ...env,
    // The issuer is on this machine, so that its keys are fetched without the proxy.
    userPool: { ...userPool, domain: renamed(userPool.domain), endpoint: renamed(userPool.endpoint) },
    identityPool: { ...identityPool, endpoint: renamed(identityPool.endpoint ?? '') },
    dataApi: { ...dataApi, endpoint: renamed(dataApi.endpoint) },
  });
  const browser = createCookieStore(new Map([['theme', 'dark']]));
  return {
    /** Creates an account, and returns the context of the next request. */
    async signUp() {
      const { location } = await visit(browser, '/auth/sign-up');
      const login = (location?.href ?? '').replace(CLOUD, cloud.origin);
      const credentials = { email: 'ada@example.com', password: PASSWORD };
      const callback = await createHostedLoginVisitor(cloud).signUp(login, credentials);
      expect(callback.origin).toBe(APP_ORIGIN);
      await visit(browser, callback);
      return (await visit(browser, '/')).context;
    },
    signOut: () => visit(browser, '/auth/sign-out', { method: 'POST' }),
  };
}

describe('a site behind a proxy for outgoing requests', () => {
  it('reaches hosted login, identity pool and data API through it, and this machine directly', async () => {
    const cloud = await startLocalCloud({
      siteOrigins: ['http://localhost:3000'],
      onSecret: registerSecret,
    });
    onTestFinished(() => cloud.close());
    const proxy = await startForwardProxy({ [TARGET]: cloud.origin });
    vi.stubEnv('HTTP_PROXY', proxy.url);
    const site = await openSite(cloud);
    const { session, dataApi, signal, requestId } = await site.signUp();
    if (session.state !== 'signed-in') throw new Error(`The session is ${session.state}`);
    const { result } = await dataApi.execute(session, shippedQuery, { signal, requestId });
    expect(result.errors).toEqual([]);
    expect(Object.values(result.data ?? {})).toEqual([{ items: [], nextToken: null }]);
    await site.signOut();
    const services = ['cognito-identity', 'graphql', 'jwks', 'revoke', 'token'];
    expect(Object.keys(cloud.faults.calls).sort()).toEqual(services);
    expect(new Set(proxy.targets)).toEqual(new Set([TARGET]));
  });

  it('fetches the keys of a user pool through it', async () => {
    const pool = await startScriptedUserPool();
    onTestFinished(() => pool.close());
    const proxy = await startForwardProxy({ [TARGET]: new URL(pool.userPool().issuer).origin });
    vi.stubEnv('http_proxy', proxy.url);
    const { createTokenVerifier } = await import(
      '../../../packages/cognito-session/src/user-pool/token-verifier.ts'
    );
    const issuer = `${CLOUD}/us-east-1_Scripted`;
    const env = { userPool: pool.userPool({ issuer }) };
    const accessToken = await pool.accessToken({ ...claimsIssuedAt(Date.now()), iss: issuer });
    const verified = await createTokenVerifier({ env, clock: Date.now }).verify(
      { accessToken, idToken: null },
      null,
    );
    expect(verified.user.sub).toBe(claimsIssuedAt(0).sub);
    expect(proxy.targets).toEqual([TARGET]);
  });

  it('that rejects a host reports a failure of the network', async () => {
    const proxy = await startForwardProxy({});
    vi.stubEnv('HTTPS_PROXY', proxy.url);
    const { post } = await import('../../../packages/cognito-session/src/user-pool/user-pool-request.ts');
    const call = post('user-pool', 'https://cloud.example/', '', new AbortController().signal, {});
    await expect(call).rejects.toMatchObject({ name: 'UpstreamError', code: 'NetworkError' });
    expect(proxy.targets).toEqual(['cloud.example:443']);
  });

  it.each([
    ['NO_PROXY names it', { NO_PROXY: 'a.example,127.0.0.2' }, 0],
    ['NO_PROXY names all', { NO_PROXY: '*' }, 0],
    ['nothing else is named', {}, 1],
  ])('calls a host directly or through it, because %s', async (_because, variables, tunnels) => {
    const server = createServer((_request, response) => void response.end('reached'));
    const origin = await listenOnLoopback(server, '127.0.0.2');
    onTestFinished(() => closeServer(server));
    const proxy = await startForwardProxy({ [new URL(origin).host]: origin });
    for (const [name, value] of Object.entries({ HTTP_PROXY: proxy.url, ...variables }))
      vi.stubEnv(name, value);
    const dispatcher = createDispatcher();
    const { body } = await request(origin, { dispatcher });
    expect(await body.text()).toBe('reached');
    expect(proxy.targets).toHaveLength(tunnels);
  });
});

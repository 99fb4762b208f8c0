/** A complete visit with debug logging and failures of every service, after which no issued secret may be found. */
import { Agent } from 'node:http';
import type { LocalCloud, SecretKind } from '@tenfold/local-cloud';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shippedQuery } from '../../support/http/shipped-operations.ts';
import { formSubmission } from '../../support/http/site-requests.ts';
import { startLocalCloud } from '../../support/local-cloud.ts';
import { freePort, type Site, startSite } from '../../support/processes/site.ts';
import { findSecret, registerSecret } from '../../support/secrets/secret-detection.ts';
import { PASSWORD } from '../../support/sign-in/hosted-login.ts';
import { createSiteVisitor, type SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { formPath, other } from '../../support/this-site.ts';
import { filesUnder, textOf } from '../support/built-files.ts';

const agent = new Agent({ keepAlive: true });
const issued = new Map<SecretKind, string>();
let cloud: LocalCloud;
let site: Site;
let ada: SiteVisitor;

beforeAll(async () => {
  const port = await freePort();
  cloud = await startLocalCloud({
    siteOrigins: [`http://localhost:${port}`],
    onSecret(kind, value) {
      issued.set(kind, value);
      registerSecret(kind, value);
    },
  });
  // The debug level logs as much as possible.
  site = await startSite(port, { ...cloud.environment(), LOG_LEVEL: 'debug' });
  ada = createSiteVisitor(site.origin, agent);
  await visit();
});
afterAll(async () => {
  agent.destroy();
  await site.stop();
  await cloud.close();
});

const operation = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: shippedQuery.query }),
};

async function visit(): Promise<void> {
  const credentials = { email: 'ada@example.com', password: PASSWORD };
  cloud.faults.set({ tokenSeconds: 4 });
  await ada.signUp(cloud, credentials);
  // The tokens are due for a refresh by now.
  cloud.faults.set({});
  for (const path of ['/', formPath(), `${formPath(other)}.data`, '/api/identity', '/nowhere']) {
    await ada.request(path);
  }
  await ada.request('/api/graphql', operation);
  await ada.request(formPath(), formSubmission({ intent: 'post', content: 'hello' }));
  for (const service of ['graphql', 'cognito-identity', 'cognito-idp', 'token', 'revoke']) {
    for (const kind of ['error', 'invalid-json', 'reset']) {
      cloud.faults.set({ tokenSeconds: 4, faults: [{ service, kind, error: 'SomeException' }] });
      const visitor = createSiteVisitor(site.origin, agent);
      if (service === 'token') {
        const signUp = visitor.signUp(cloud, { ...credentials, email: `${kind}@example.com` });
        await expect(signUp).rejects.toThrow('The sign-up failed');
      } else await ada.request('/api/graphql', operation);
    }
  }
  cloud.faults.set({});
  await ada.request('/auth/sign-out', formSubmission({ returnTo: '/' }));
}

describe('the secrets issued during a visit', () => {
  it('include every kind of secret', () => {
    expect([...issued.keys()].sort()).toEqual([
      'AWS access key id',
      'AWS secret key',
      'AWS session token',
      'ID token',
      'access token',
      'authorization code',
      'client secret',
      'code verifier',
      'refresh token',
    ]);
  });

  // threat-model: T-040
  it('are not in the log, which contains the events of the visit', () => {
    for (const event of ['session started', 'sign-in failed', 'refresh', 'data API call']) {
      expect(site.output()).toContain(event);
    }
    expect(findSecret(site.output())).toBeNull();
  });

  // threat-model: T-040
  it('are in no file that is served to browsers', () => {
    const files = filesUnder('build/client');
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => findSecret(textOf(file)) !== null)).toEqual([]);
  });

  // threat-model: T-040
  it.each<SecretKind>(['refresh token', 'AWS secret key'])(
    'would be detected in a response of the site: %s',
    async (kind) => {
      // The error page contains the requested path.
      const leak = `/nowhere?leak=${encodeURIComponent(issued.get(kind) ?? '')}`;
      await expect(createSiteVisitor(site.origin, agent).request(leak)).rejects.toThrow(/exposed/);
      await expect(fetch(site.origin + leak)).rejects.toThrow(/exposed/);
    },
  );
});

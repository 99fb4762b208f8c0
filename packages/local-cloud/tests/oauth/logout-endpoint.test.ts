import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHostedLoginVisitor } from '../../../../tests/support/sign-in/hosted-login.ts';
import {
  createOAuthClient,
  type OAuthClient,
  SITE_ORIGIN,
} from '../../../../tests/support/sign-in/oauth-client.ts';
import { type LocalCloud, startLocalCloud } from '../../start.ts';
import { ann } from '../support/signed-up-client.ts';

let cloud: LocalCloud;
let client: OAuthClient;

beforeAll(async () => {
  cloud = await startLocalCloud({ siteOrigins: [SITE_ORIGIN] });
  client = createOAuthClient(cloud);
  await createHostedLoginVisitor(cloud).signUp(client.authorizeUrl(), ann);
});
afterAll(() => cloud.close());

describe('the logout endpoint', () => {
  const logout = (params: Record<string, string>) =>
    `${cloud.origin}/logout?${new URLSearchParams({ client_id: client.id, ...params })}`;

  test('does not redirect to an unregistered URL and does not end the session', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    await visitor.signIn(client.authorizeUrl(), ann);
    const step = await visitor.open(logout({ logout_uri: 'https://evil.example/' }));
    expect([step.url.pathname, step.status]).toEqual(['/error', 400]);
    expect((await visitor.open(client.authorizeUrl())).url.origin).toBe(SITE_ORIGIN);
  });

  test('redirects to the sign-in page when it has a redirect_uri', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    await visitor.signIn(client.authorizeUrl(), ann);
    const step = await visitor.open(client.authorizeUrl().replace('/oauth2/authorize', '/logout'));
    expect([step.url.pathname, step.status]).toEqual(['/login', 200]);
  });
});

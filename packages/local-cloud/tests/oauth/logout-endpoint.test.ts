import { describe, expect, test } from 'vitest';
import { createHostedLoginVisitor } from '../../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';
import { ann } from '../support/signed-up-client.ts';

const local = startLocalCloudForTests();

async function signUp() {
  const visitor = createHostedLoginVisitor(local.cloud);
  const authorizeUrl = createOAuthClient(local.cloud).authorizeUrl();
  await visitor.signUp(authorizeUrl, ann);
  return { visitor, authorizeUrl };
}

describe('the logout endpoint', () => {
  test('does not redirect to an unregistered URL and does not end the session', async () => {
    const { visitor, authorizeUrl } = await signUp();
    const client_id = createOAuthClient(local.cloud).id;
    const params = new URLSearchParams({ client_id, logout_uri: 'https://evil.example/' });
    const step = await visitor.open(`${local.cloud.origin}/logout?${params}`);
    expect([step.url.pathname, step.status]).toEqual(['/error', 400]);
    expect((await visitor.open(authorizeUrl)).url.origin).toBe(SITE_ORIGIN);
  });

  test('redirects to the sign-in page when it has a redirect_uri', async () => {
    const { visitor, authorizeUrl } = await signUp();
    const step = await visitor.open(authorizeUrl.replace('/oauth2/authorize', '/logout'));
    expect([step.url.pathname, step.status]).toEqual(['/login', 200]);
  });
});

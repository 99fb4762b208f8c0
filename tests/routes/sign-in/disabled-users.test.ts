/** Users whom an administrator disables in the user pool while they are signed in. */
import {
  AdminDisableUserCommand,
  AdminEnableUserCommand,
  CognitoIdentityProviderClient,
} from '@aws-sdk/client-cognito-identity-provider';
import { beforeEach, describe, expect, it } from 'vitest';
import { createHostedLoginVisitor, PASSWORD } from '../../support/sign-in/hosted-login.ts';
import { examplePath } from '../../support/this-site.ts';
import { type RunningStack, setUpStack } from '../support/set-up-stack.ts';

const stack = setUpStack();
const rechecking = setUpStack({ environment: { SESSION_RECHECK_SECONDS: '1' } });

beforeEach(() => {
  for (const { cloud } of [stack, rechecking]) cloud.faults.set({});
});

/** Sends an administrator's command to the user pool, as the AWS console does. */
async function administer(
  { cloud }: RunningStack,
  action: 'disable' | 'enable',
  email: string,
): Promise<void> {
  const environment = cloud.environment();
  const client = new CognitoIdentityProviderClient({
    region: 'us-east-1',
    endpoint: environment.AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER ?? '',
    credentials: { accessKeyId: 'administrator', secretAccessKey: 'unused' },
  });
  const user = { UserPoolId: environment.COGNITO_USER_POOL_ID, Username: cloud.users.find(email)?.sub };
  if (action === 'disable') await client.send(new AdminDisableUserCommand(user));
  else await client.send(new AdminEnableUserCommand(user));
}

describe('a disabled user', () => {
  // threat-model: T-077
  it('loses access when the tokens are refreshed next', async () => {
    stack.cloud.faults.set({ tokenSeconds: 4 });
    const ada = await stack.signUp('ada');
    await administer(stack, 'disable', 'ada@example.com');
    const { body } = await ada.request(examplePath());
    expect(body).toContain('Your session has ended');
    expect(body).not.toContain('ada@example.com');
    expect(await ada.isSignedIn()).toBe(false);
  });

  it('keeps access until then', async () => {
    const ben = await stack.signUp('ben');
    await administer(stack, 'disable', 'ben@example.com');
    expect(await ben.isSignedIn()).toBe(true);
  });

  // threat-model: T-077
  it('loses access after SESSION_RECHECK_SECONDS, although the tokens are valid for an hour', async () => {
    const [clara, dora] = [await rechecking.signUp('clara'), await rechecking.signUp('dora')];
    await administer(rechecking, 'disable', 'clara@example.com');
    await expect.poll(() => clara.isSignedIn()).toBe(false);
    expect(await dora.isSignedIn(), 'another user').toBe(true);
  });

  it('cannot sign in again until an administrator enables the user', async () => {
    await stack.signUp('eva');
    await administer(stack, 'disable', 'eva@example.com');
    const visitor = stack.visit();
    const credentials = { email: 'eva@example.com', password: PASSWORD };
    const signIn = async () => {
      const { headers } = await visitor.request('/auth/sign-in');
      return createHostedLoginVisitor(stack.cloud).signIn(new URL(headers.location ?? ''), credentials);
    };
    await expect(signIn()).rejects.toThrow();
    await administer(stack, 'enable', 'eva@example.com');
    const callback = await signIn();
    await visitor.request(callback.pathname + callback.search);
    expect(await visitor.isSignedIn()).toBe(true);
  });
});

// threat-model: T-077
it('an unreachable user pool ends no session that is due to be checked', async () => {
  const fred = await rechecking.signUp('fred');
  rechecking.cloud.faults.set({ faults: [{ service: 'cognito-idp', kind: 'status', status: 503 }] });
  rechecking.cloud.faults.forgetCalls();
  const isChecked = async () => {
    expect(await fred.isSignedIn()).toBe(true);
    return rechecking.cloud.faults.calls['cognito-idp'] !== undefined;
  };
  await expect.poll(isChecked).toBe(true);
  expect(await fred.isSignedIn()).toBe(true);
});

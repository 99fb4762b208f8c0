/** Users whom an administrator disables in the user pool while they are signed in. */
import { Agent } from 'node:http';
import {
  AdminDisableUserCommand,
  AdminEnableUserCommand,
  CognitoIdentityProviderClient,
} from '@aws-sdk/client-cognito-identity-provider';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { createHostedLoginVisitor, PASSWORD } from '../../support/sign-in/hosted-login.ts';
import { createSiteVisitor, signUpVisitor } from '../../support/sign-in/site-visitor.ts';
import { examplePath } from '../../support/this-site.ts';

const agent = new Agent({ keepAlive: true });
const stacks: Record<string, Stack> = {};

beforeAll(async () => {
  stacks.unset = await startStack();
  stacks.recheck = await startStack({ environment: { SESSION_RECHECK_SECONDS: '1' } });
}, 60_000);
beforeEach(() => {
  for (const { cloud } of Object.values(stacks)) cloud.faults.set({});
});
afterAll(async () => {
  agent.destroy();
  for (const stack of Object.values(stacks)) await stack.stop();
});

function stackOf(name: 'unset' | 'recheck'): Stack {
  const stack = stacks[name];
  if (!stack) throw new Error('The stack has not started');
  return stack;
}

/** Sends an administrator's command to the user pool, as the AWS console does. */
async function administer({ cloud }: Stack, action: 'disable' | 'enable', email: string): Promise<void> {
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
    const stack = stackOf('unset');
    stack.cloud.faults.set({ tokenSeconds: 4 });
    const ada = await signUpVisitor(stack, agent, 'ada@example.com');
    await administer(stack, 'disable', 'ada@example.com');
    const { body } = await ada.request(examplePath());
    expect(body).toContain('Your session has ended');
    expect(body).not.toContain('ada@example.com');
    expect(await ada.isSignedIn()).toBe(false);
  });

  it('loses access as well when a trigger of the user pool refuses the refresh', async () => {
    const stack = stackOf('unset');
    stack.cloud.faults.set({ tokenSeconds: 4 });
    const ada = await signUpVisitor(stack, agent, 'refused@example.com');
    const refusal = {
      service: 'cognito-idp',
      kind: 'error',
      error: 'UserLambdaValidationException',
    } as const;
    stack.cloud.faults.set({ faults: [refusal] });
    const { status, body } = await ada.request(examplePath());
    expect(status).toBe(200);
    expect(body).toContain('Your session has ended');
  });

  it('keeps access until then', async () => {
    const stack = stackOf('unset');
    const ben = await signUpVisitor(stack, agent, 'ben@example.com');
    await administer(stack, 'disable', 'ben@example.com');
    expect(await ben.isSignedIn()).toBe(true);
  });

  // threat-model: T-077
  it('loses access after SESSION_RECHECK_SECONDS, although the tokens are valid for an hour', async () => {
    const stack = stackOf('recheck');
    const clara = await signUpVisitor(stack, agent, 'clara@example.com');
    const dora = await signUpVisitor(stack, agent, 'dora@example.com');
    await administer(stack, 'disable', 'clara@example.com');
    await expect.poll(() => clara.isSignedIn()).toBe(false);
    expect(await dora.isSignedIn(), 'another user').toBe(true);
  });

  it('cannot sign in again until an administrator enables the user', async () => {
    const stack = stackOf('unset');
    await signUpVisitor(stack, agent, 'eva@example.com');
    await administer(stack, 'disable', 'eva@example.com');
    const visitor = createSiteVisitor(stack.site.origin, agent);
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
  const stack = stackOf('recheck');
  const fred = await signUpVisitor(stack, agent, 'fred@example.com');
  stack.cloud.faults.set({ faults: [{ service: 'cognito-idp', kind: 'status', status: 503 }] });
  stack.cloud.faults.forgetCalls();
  const isChecked = async () => {
    expect(await fred.isSignedIn()).toBe(true);
    return stack.cloud.faults.calls['cognito-idp'] !== undefined;
  };
  await expect.poll(isChecked).toBe(true);
  expect(await fred.isSignedIn()).toBe(true);
});

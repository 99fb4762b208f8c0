/** The environment of the site from a deployed stack. */
import { randomBytes } from 'node:crypto';
import type { Stack } from '@aws-sdk/client-cloudformation';
import {
  CognitoIdentityProviderClient,
  DescribeUserPoolClientCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { CommandError } from './command/command-error.ts';
import type { Variables } from './env-file.ts';
import { REQUEST_TIMEOUTS } from './stack/stack.ts';

/** Variables of the site by the stack's outputs. */
const outputVariables = {
  AWS_REGION: 'Region',
  COGNITO_USER_POOL_ID: 'UserPoolId',
  COGNITO_CLIENT_ID: 'UserPoolClientId',
  COGNITO_DOMAIN: 'HostedLoginDomain',
  COGNITO_IDENTITY_POOL_ID: 'IdentityPoolId',
  COGNITO_ALLOW_GUESTS: 'GuestsAllowed',
  GRAPHQL_ENDPOINT: 'GraphQLEndpoint',
} as const;

/** The outputs of a stack by name. */
export function readOutputs(stack: Stack): Map<string, string> {
  return new Map(
    (stack.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  );
}

/**
 * The variables that the outputs define, without secrets. `origin` is null for the main origin. Throws `CommandError`
 * when an output is missing, or the stack does not have the origin.
 */
export function describeSite(outputs: ReadonlyMap<string, string>, origin: string | null): Variables {
  const output = (name: string) => {
    const value = outputs.get(name);
    if (value !== undefined) return value;
    throw new CommandError(`The stack has no output ${name}. Run npm run aws:deploy to update it.`);
  };
  const origins = output('AppOrigins').split(',');
  if (origin !== null && !origins.includes(origin)) {
    throw new CommandError(
      `The stack does not accept sign-ins from ${origin}. Its origins are ${origins.join(', ')}. Add one with npm run aws:deploy -- --origin.`,
    );
  }
  const variables = Object.entries(outputVariables).map(([name, key]) => [name, output(key)]);
  return { APP_ORIGIN: origin ?? output('AppOrigin'), ...Object.fromEntries(variables) };
}

/** The secret of the app client, which is no output of the stack. Rejects with `CommandError` when it has none. */
export async function readClientSecret(region: string, variables: Variables): Promise<string> {
  const client = new CognitoIdentityProviderClient({ region, requestHandler: REQUEST_TIMEOUTS });
  const { UserPoolClient } = await client.send(
    new DescribeUserPoolClientCommand({
      UserPoolId: variables.COGNITO_USER_POOL_ID,
      ClientId: variables.COGNITO_CLIENT_ID,
    }),
  );
  const secret = UserPoolClient?.ClientSecret;
  if (secret !== undefined && secret !== '') return secret;
  throw new CommandError(
    'The app client of the user pool has no secret. Run npm run aws:deploy to update the stack.',
  );
}

/** A new secret for session cookies: 32 random bytes. */
export function createSessionSecret(): string {
  return randomBytes(32).toString('base64url');
}

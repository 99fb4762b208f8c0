/**
 * Reads the `amplify_outputs.json` of an AWS Amplify project as environment variables of the site. The versions 1 to 1.5 of
 * its schema agree in what the site reads. The file never contains a client secret, and a domain only for projects with
 * external identity providers.
 * https://github.com/aws-amplify/amplify-backend/tree/main/packages/client-config/src/client-config-schema
 */
import { z } from 'zod';
import { EnvError } from './env-error.ts';

export type AmplifyOutputs = Record<string, string>;

const schema = z.object({
  version: z.string().regex(/^1(\.\d+)?$/),
  auth: z
    .object({
      aws_region: z.string(),
      user_pool_id: z.string(),
      user_pool_client_id: z.string(),
      identity_pool_id: z.string().optional(),
      unauthenticated_identities_enabled: z.boolean().optional(),
      // Not shown: the hosted login has the field and states the rule.
      password_policy: z.object({ min_length: z.number().default(6) }).optional(),
      oauth: z.object({ domain: z.string() }).optional(),
    })
    .optional(),
  data: z
    .object({
      url: z.string(),
      aws_region: z.string(),
      default_authorization_type: z.string(),
      authorization_types: z.array(z.string()).default([]),
    })
    .optional(),
});

/** AppSync's names of the two supported authorization modes. */
const AUTH_MODES = new Map([
  ['AWS_IAM', 'iam'],
  ['AMAZON_COGNITO_USER_POOLS', 'userPool'],
]);

/**
 * The variables that the file defines, by name. Throws `EnvError` when the text is not JSON of version 1. The
 * authorization mode is the API's default if the site supports that, else the first one that it supports, else left out.
 */
export function parseAmplifyOutputs(text: string): AmplifyOutputs {
  const { auth, data } = readOutputs(text);
  const types = data ? [data.default_authorization_type, ...data.authorization_types] : [];
  const authMode = types.map((type) => AUTH_MODES.get(type)).find((mode) => mode !== undefined);
  const guests = auth?.unauthenticated_identities_enabled;
  return definedOnly({
    AWS_REGION: auth?.aws_region,
    COGNITO_USER_POOL_ID: auth?.user_pool_id,
    COGNITO_CLIENT_ID: auth?.user_pool_client_id,
    COGNITO_DOMAIN: auth?.oauth?.domain,
    COGNITO_IDENTITY_POOL_ID: auth?.identity_pool_id,
    COGNITO_ALLOW_GUESTS: guests === undefined ? undefined : String(guests),
    GRAPHQL_ENDPOINT: data?.url,
    GRAPHQL_REGION: data?.aws_region,
    GRAPHQL_AUTH_MODE: authMode,
  });
}

function readOutputs(text: string): z.infer<typeof schema> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new EnvError(['AMPLIFY_OUTPUTS: the file is not JSON']);
  }
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  if (result.error.issues.some(({ path }) => path[0] === 'version')) {
    throw new EnvError([
      'AMPLIFY_OUTPUTS: the file is not of version 1 or 1.x. Leave AMPLIFY_OUTPUTS empty and set the variables COGNITO_* and GRAPHQL_* instead.',
    ]);
  }
  throw new EnvError(
    result.error.issues.map((issue) => `AMPLIFY_OUTPUTS: ${issue.path.join('.')} ${issue.message}`),
  );
}

function definedOnly(values: Record<string, string | undefined>): AmplifyOutputs {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

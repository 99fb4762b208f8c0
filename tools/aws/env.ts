/** Writes the environment of the site from the stack of `npm run aws:deploy`: `npm run aws:env`. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { parseArgs, parseEnv as parseFile } from 'node:util';
import { CloudFormationClient, type Stack } from '@aws-sdk/client-cloudformation';
import {
  CognitoIdentityProviderClient,
  DescribeUserPoolClientCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { parseEnv } from '../../app/server/config/env.ts';
import { EnvError } from '../../app/server/config/env-error.ts';
import {
  CommandError,
  confirm,
  DEFAULT_STACK_NAME,
  runCommand,
  say,
  stackOptions,
  stackOptionsHelp,
} from './command.ts';
import { findStack, outputOf, requestHandler } from './stack.ts';

const HELP = `npm run aws:env -- [options]

Writes the environment of the site: the outputs of the stack, the secret of the app client, and a new secret for session
cookies. No secret is printed. A file that exists is replaced only after a confirmation; it keeps SESSION_SECRETS, because
another value ends all sessions, and every variable that does not come from the stack.

${stackOptionsHelp}
  --file PATH          the file (default .env.aws, and .env.aws.NAME for a stack with another name)
  --origin URL         origin of this site, if the stack has several (default the main one)
  --force              replace the file without asking`;

const HEADER =
  '# Environment of the site, written by npm run aws:env. It contains secrets: do not commit it.';

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      ...stackOptions,
      file: { type: 'string' },
      origin: { type: 'string' },
      force: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(HELP);
  const name = values['stack-name'];
  // Vite reads none of these names by itself.
  const file = values.file ?? (name === DEFAULT_STACK_NAME ? '.env.aws' : `.env.aws.${name}`);
  const previous = existsSync(file) ? await readFile(file, 'utf8') : '';
  const question = `Replace the file ${file} and keep its SESSION_SECRETS?`;
  if (previous !== '' && !values.force && !(await confirm(question))) {
    throw new CommandError('Nothing was written. Add --force to replace the file.');
  }
  const options = { requestHandler, ...(values.region ? { region: values.region } : {}) };
  const stack = await findStack(new CloudFormationClient(options), name);
  if (stack === null)
    throw new CommandError(`There is no stack "${name}". Run npm run aws:deploy, or check --region.`);
  const variables = {
    ...variablesOf(stack, values.origin),
    COGNITO_CLIENT_SECRET: await readClientSecret(new CognitoIdentityProviderClient(options), stack),
    SESSION_SECRETS: parseFile(previous).SESSION_SECRETS || randomBytes(32).toString('base64url'),
  };
  const text = formatFile(variables, previous);
  checkEnvironment(text);
  await writePrivately(file, text);
  say(`Wrote ${file}: ${Object.keys(variables).join(', ')}.`);
});

function variablesOf(stack: Stack, origin: string | undefined) {
  const origins = outputOf(stack, 'AppOrigins').split(',');
  if (origin !== undefined && !origins.includes(origin)) {
    throw new CommandError(
      `The stack does not accept sign-ins from ${origin}, only from ${origins.join(', ')}.`,
    );
  }
  return {
    APP_ORIGIN: origin ?? outputOf(stack, 'AppOrigin'),
    AWS_REGION: outputOf(stack, 'Region'),
    COGNITO_USER_POOL_ID: outputOf(stack, 'UserPoolId'),
    COGNITO_CLIENT_ID: outputOf(stack, 'UserPoolClientId'),
    COGNITO_DOMAIN: outputOf(stack, 'HostedLoginDomain'),
    COGNITO_IDENTITY_POOL_ID: outputOf(stack, 'IdentityPoolId'),
    COGNITO_ALLOW_GUESTS: outputOf(stack, 'GuestsAllowed'),
    GRAPHQL_ENDPOINT: outputOf(stack, 'GraphQLEndpoint'),
  };
}

/** The secret of the app client, which CloudFormation cannot output. */
async function readClientSecret(client: CognitoIdentityProviderClient, stack: Stack): Promise<string> {
  const { UserPoolClient } = await client.send(
    new DescribeUserPoolClientCommand({
      UserPoolId: outputOf(stack, 'UserPoolId'),
      ClientId: outputOf(stack, 'UserPoolClientId'),
    }),
  );
  if (UserPoolClient?.ClientSecret) return UserPoolClient.ClientSecret;
  throw new CommandError('The app client has no secret. Run npm run aws:deploy to update the stack.');
}

/** The variables, then the other lines of the previous file. */
function formatFile(variables: Readonly<Record<string, string>>, previous: string): string {
  const kept = previous.split(/\r?\n/).filter((line) => {
    const name = /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1];
    return line !== HEADER && (name === undefined || !(name in variables));
  });
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return `${[HEADER, ...lines, ...kept].join('\n').trimEnd()}\n`;
}

/** Throws `CommandError` unless the site accepts the file. */
function checkEnvironment(text: string): void {
  try {
    parseEnv(parseFile(text));
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    throw new CommandError(
      `Nothing was written, because the site would not start: ${error.problems.join('; ')}.`,
    );
  }
}

/** Writes a file that only its owner can read, at once: other processes see the whole file or none. */
async function writePrivately(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
  await rename(temporary, file);
}

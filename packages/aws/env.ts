/** Writes the environment of the site from the stack of `npm run aws:deploy`: `npm run aws:env`. */
import type { Stack } from '@aws-sdk/client-cloudformation';
import { parseEnv } from '../../app/server/config/env.ts';
import { EnvError } from '../../app/server/config/env-error.ts';
import { type CommandContext, runCommand } from './command/command.ts';
import { CommandError } from './command/command-error.ts';
import {
  checkNames,
  DEFAULT_STACK_NAME,
  EXIT_CODES,
  formatHelp,
  readOptions,
  stackOptions,
  stackOptionsHelp,
} from './command/command-line.ts';
import { confirm, isInteractive, say, styled } from './command/terminal.ts';
import { formatEnvFile, parseEnvFile, readEnvFile, type Variables, writeEnvFile } from './env-file.ts';
import { createSessionSecret, describeSite, readClientSecret, readOutputs } from './site-environment.ts';
import { connect, findStack, requireOwnStack, stateOf } from './stack/stack.ts';

const HELP = `npm run aws:env -- [options]

Writes the environment of the site: the outputs of the stack, the secret of the app client, and a new secret for session
cookies. Only you can read the file. No secret is printed. An existing file is replaced only after a confirmation; it
keeps SESSION_SECRETS, because another value ends all sessions, and every variable that does not come from the stack.

${formatHelp([
  ...stackOptionsHelp,
  ['--file PATH', 'the file (default .env.aws, and .env.aws.NAME for a stack with another name)'],
  ['--origin URL', 'origin of this site, if the stack has several (default the main one)'],
  ['--force', 'replace an existing file without asking'],
])}

${EXIT_CODES}`;

await runCommand(async (args, context) => {
  const values = readOptions(args, {
    ...stackOptions,
    file: { type: 'string' },
    origin: { type: 'string' },
    force: { type: 'boolean', default: false },
  });
  if (values.help) return say(HELP);
  checkNames(values['stack-name'], values.region);
  const file = values.file ?? defaultFile(values['stack-name']);
  const previous = await readEnvFile(file);
  if (previous !== null && !values.force) await confirmReplacement(file);
  const { client, region } = await connect(values.region);
  context.region = region;
  const stack = requireDeployed(await findStack(client, values['stack-name']), values['stack-name'], context);
  const described = describeSite(readOutputs(stack), values.origin ?? null);
  const variables = {
    ...described,
    COGNITO_CLIENT_SECRET: await readClientSecret(region, described),
    SESSION_SECRETS: parseEnvFile(previous ?? '').SESSION_SECRETS || createSessionSecret(),
  };
  const text = formatEnvFile(variables, previous);
  checkEnvironment(parseEnvFile(text));
  await writeEnvFile(file, text, { replaces: previous !== null });
  showResult(file, variables, previous);
});

/** Each stack has its own file. Vite reads none of these names. */
function defaultFile(stackName: string): string {
  return stackName === DEFAULT_STACK_NAME ? '.env.aws' : `.env.aws.${stackName}`;
}

async function confirmReplacement(file: string): Promise<void> {
  if (!isInteractive()) {
    throw new CommandError(
      `The file ${file} exists already, and nothing was written. Add --force to replace it; SESSION_SECRETS is kept.`,
    );
  }
  if (await confirm(`The file ${file} exists already. Replace it and keep its SESSION_SECRETS?`)) return;
  throw new CommandError('Nothing was written.');
}

/** The stack if it is deployed and ours. Throws `CommandError` otherwise. */
function requireDeployed(stack: Stack | null, name: string, { region }: CommandContext): Stack {
  if (stack === null) {
    throw new CommandError(
      `There is no stack "${name}" in ${region}. Run npm run aws:deploy first, or check --stack-name and --region.`,
    );
  }
  requireOwnStack(stack);
  if (stateOf(stack) === 'deployed') return stack;
  throw new CommandError(
    `The stack "${name}" is not ready (${stack.StackStatus}). Show its progress with npm run aws:deploy -- --follow.`,
  );
}

/** Throws `CommandError` unless the site accepts these variables. */
function checkEnvironment(variables: Variables): void {
  try {
    parseEnv(variables);
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    throw new CommandError(
      `The site would not start with these variables, so nothing was written: ${error.problems.join('; ')}.`,
    );
  }
}

function showResult(file: string, variables: Variables, previous: string | null): void {
  say(styled('green', `Wrote ${file}:`));
  for (const name of Object.keys(variables)) say(`  ${name}`);
  if (previous !== null) say('Other variables of the previous file are kept.');
  say(`
Use it in one of these ways:
  npm run doctor -- --env-file ${file}
  node --env-file=${file} build/server/server.js
  docker run --env-file ${file} -p 3000:3000 tenfold
  fly secrets import < ${file}`);
}

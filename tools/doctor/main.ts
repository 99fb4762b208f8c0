/** The command `npm run doctor`: checks a configuration of the site against the real services. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Env, parseEnv } from '../../app/server/config/env.ts';
import { EnvError } from '../../app/server/config/env-error.ts';
import { type Checks, type Finding, FindingError, failure } from './finding.ts';
import { collectSecrets, isClientSecret } from './secrets.ts';

const HELP = `Checks a configuration of the site against the services that it names.

Usage: npm run doctor -- [options]

  --env-file FILE    read the environment of the site from FILE; variables that are already set take precedence
  --timeout SECONDS  how long one request may take (1 to 60, default 5)
  --help             print this text

The command reads the variables that the site reads. It asks the user pool, the hosted login, the identity pool, the
AppSync API, the shared store and the running site. It changes nothing, except that it creates one guest identity when
COGNITO_ALLOW_GUESTS is true.

Exit codes: 0 no failures, 1 at least one failure, 2 the command could not run.
`;

/** What the user of the command can correct. `message` is a whole sentence. */
class UsageError extends Error {}

const STATUS_WIDTH = 13;

process.exitCode = await main().catch((error: unknown) => {
  const message = error instanceof UsageError ? error.message : `The command failed: ${error}`;
  process.stderr.write(`${collectSecrets(process.env).hide(message)}\n`);
  return 2;
});
// Connections of a service that never responds would keep the process running.
process.stdout.write('', () => process.exit());

async function main(): Promise<number> {
  const { help, envFile, timeoutMs } = parseOptions();
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
  loadEnvFile(envFile);
  const secrets = collectSecrets(process.env);
  const print = (text: string) => void process.stdout.write(secrets.hide(text));
  let failures = 0;
  const report = ({ status, text, fix }: Finding) => {
    if (status === 'failure') failures += 1;
    print(`  ${status.padEnd(STATUS_WIDTH)}${text}\n`);
    if (fix !== undefined) print(`  ${' '.repeat(STATUS_WIDTH)}Fix: ${fix}\n`);
  };
  const { env, findings } = parseConfiguration();
  const parts = env ? await createParts(env, timeoutMs, secrets.add) : [];
  for (const finding of findings) report(finding);
  for (const [title, checks] of parts) {
    print(`\n${title}\n`);
    try {
      for await (const finding of checks()) report(finding);
    } catch (error) {
      const isExpected = error instanceof FindingError;
      report(
        isExpected
          ? error.finding
          : failure(`The check did not finish (${error}).`, 'Run the command again.'),
      );
    }
  }
  print(`\n${failures === 0 ? 'No failures' : `Failures: ${failures}`}.\n`);
  return failures === 0 ? 0 : 1;
}

/** Loads the checks when they are needed: the help and an invalid configuration are printed at once. */
async function createParts(
  env: Env,
  timeoutMs: number,
  onSecret: (value: string) => void,
): Promise<[string, Checks][]> {
  const { createSend } = await import('./services/http.ts');
  const { checkConfiguration } = await import('./services/configuration.ts');
  const { checkSignIn } = await import('./services/sign-in.ts');
  const { checkData } = await import('./services/data.ts');
  const { checkSharedStore } = await import('./services/shared-store.ts');
  const { checkSite } = await import('./services/site.ts');
  const send = createSend(timeoutMs);
  return [
    ['Configuration', () => checkConfiguration(env)],
    ['Sign-in', () => checkSignIn(env, send)],
    ['Identity pool and data API', () => checkData(env, send, { timeoutMs, onSecret })],
    ['Shared store', () => checkSharedStore(env.redisUrl, timeoutMs)],
    ['Site', () => checkSite(env, send)],
  ];
}

function parseOptions() {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', default: false },
        'env-file': { type: 'string' },
        timeout: { type: 'string', default: '5' },
      },
    });
    const seconds = Number(values.timeout);
    if (!(seconds >= 1 && seconds <= 60)) throw new Error('--timeout must be a number from 1 to 60.');
    return { help: values.help, envFile: values['env-file'], timeoutMs: seconds * 1000 };
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error} Use --help for the options.`);
  }
}

/** Reads the file as `node --env-file` does: variables that are already set keep their values. */
function loadEnvFile(envFile: string | undefined): void {
  if (envFile === undefined) return;
  if (!existsSync(envFile)) throw new UsageError(`The environment file ${envFile} does not exist.`);
  process.loadEnvFile(envFile);
}

/**
 * Returns no environment, and every problem, if the site would not start with this one. Also if the client id is a
 * secret: the checks would send it in addresses.
 */
function parseConfiguration(): { env?: Env; findings: Finding[] } {
  try {
    const env = parseEnv(process.env);
    if (!isClientSecret(env.userPool.clientId)) return { env, findings: [] };
    const text =
      'COGNITO_CLIENT_ID has the form of a client secret. COGNITO_CLIENT_ID and COGNITO_CLIENT_SECRET are probably swapped.';
    const fix =
      'Set COGNITO_CLIENT_ID to the id of the app client, which has 26 characters. If the site has run with this configuration, use a new app client: addresses in browsers contained the secret of this one.';
    return { findings: [failure(text, fix)] };
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    const fix = 'Correct the variable; docs/configuration.md describes all of them.';
    const toFinding = (problem: string) =>
      failure(`The site does not start with this configuration. ${problem}.`.replace(/\.\.$/, '.'), fix);
    return { findings: error.problems.map(toFinding) };
  }
}

/** The command `npm run doctor`: checks a configuration of the site against the real services. */
import { existsSync } from 'node:fs';
import { type Env, parseEnv } from '../../../app/server/config/env.ts';
import { EnvError } from '../../../app/server/config/env-error.ts';
import { type Finding, notChecked, problem } from './findings/finding.ts';
import { runChecks } from './findings/run-checks.ts';
import { HELP, type Options, parseOptions, UsageError } from './options.ts';
import { createJsonReport, createTextReport, type Report } from './report.ts';
import { collectSecrets, isClientSecret } from './secrets.ts';

/** A check makes at most this many requests one after the other. The round trip of a member makes the most. */
const REQUESTS_PER_CHECK = 9;

// The SDK prints a notice about later versions of Node, on which a user of this command cannot act.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
process.exitCode = await main().catch((error: unknown) => {
  const message = error instanceof UsageError ? error.message : `The command failed: ${error}`;
  process.stderr.write(`${collectSecrets(process.env).hide(message)}\n`);
  return 2;
});
// Connections of a service that never responds would keep the process running.
process.stdout.write('', () => process.exit());

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  loadEnvFile(options);
  if (options.member !== null && !process.env.DOCTOR_MEMBER_PASSWORD) {
    throw new UsageError('--member needs the password of the member in DOCTOR_MEMBER_PASSWORD.');
  }
  const secrets = collectSecrets(process.env);
  const print = (text: string) => void process.stdout.write(secrets.hide(text));
  const printed = options.json
    ? createJsonReport(print)
    : createTextReport(print, { colors: process.stdout.isTTY });
  const report: Report = {
    ...printed,
    add: (result) => printed.add({ ...result, finding: secrets.hideIn(result.finding) }),
  };
  const env = parseConfiguration(report);
  if (env !== null) await checkServices(env, options, report, secrets.add);
  return report.finish();
}

/** Reads the file as `node --env-file` does: variables that are already set keep their values. */
function loadEnvFile({ envFile }: Options): void {
  if (envFile === null) return;
  if (!existsSync(envFile)) throw new UsageError(`The environment file ${envFile} does not exist.`);
  try {
    process.loadEnvFile(envFile);
  } catch {
    throw new UsageError(`The environment file ${envFile} cannot be read.`);
  }
}

/**
 * Returns null, and reports every problem, if the site would not start with this environment. Also if the client id is a
 * secret: the checks would send it in addresses.
 */
function parseConfiguration(report: Report): Env | null {
  const add = (check: string, finding: Finding) => report.add({ group: 'Configuration', check, finding });
  try {
    const env = parseEnv(process.env);
    if (!isClientSecret(env.userPool.clientId)) return env;
    add('Variables', problem('client-id-is-secret', {}));
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    for (const text of error.problems) {
      const [variable = '', details = ''] = text.split(/: (.*)/s);
      add('Variables', problem('configuration-invalid', { variable, problem: details }));
    }
  }
  add('Services', notChecked('The services are checked once the configuration is valid.'));
  return null;
}

async function checkServices(
  env: Env,
  { timeoutMs, member: email }: Options,
  report: Report,
  onSecret: (value: string) => void,
): Promise<void> {
  // Loaded when it is needed: the help and an invalid configuration are printed at once.
  const { createAccountGroup, createServiceGroups } = await import('./check-groups.ts');
  const member = email === null ? null : { email, password: process.env.DOCTOR_MEMBER_PASSWORD ?? '' };
  const deps = { env, variables: process.env, timeoutMs, member, onSecret };
  const deadlineMs = timeoutMs * REQUESTS_PER_CHECK;
  for await (const result of runChecks(createServiceGroups(deps), deadlineMs)) report.add(result);
  const account = await createAccountGroup(deps);
  for await (const result of runChecks([account], deadlineMs)) report.add(result);
}

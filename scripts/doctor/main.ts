/** The command `npm run doctor`: checks a configuration of the site against the real services. */
import { existsSync } from 'node:fs';
import { type Env, parseEnv } from '../../app/server/config/env.ts';
import { EnvError } from '../../app/server/config/env-error.ts';
import { notChecked, problem } from './findings/finding.ts';
import { runChecks } from './findings/run-checks.ts';
import { HELP, type Options, parseOptions, UsageError } from './options.ts';
import { createJsonReport, createTextReport, type Report } from './report.ts';
import { collectSecrets } from './secrets.ts';

/** A check makes at most this many requests one after the other. */
const REQUESTS_PER_CHECK = 3;

// The SDK prints a notice about later versions of Node, on which a user of this command cannot act.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof UsageError ? error.message : `The command failed: ${error}`}\n`);
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
  const secrets = collectSecrets(process.env);
  const print = (text: string) => void process.stdout.write(secrets.hide(text));
  const report = options.json
    ? createJsonReport(print)
    : createTextReport(print, { colors: process.stdout.isTTY });
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

/** Returns null, and reports every problem, if the site would not start with this environment. */
function parseConfiguration(report: Report): Env | null {
  try {
    return parseEnv(process.env);
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    for (const text of error.problems) {
      const [variable = '', details = ''] = text.split(/: (.*)/s);
      const finding = problem('configuration-invalid', { variable, problem: details });
      report.add({ group: 'Configuration', check: 'Variables', finding });
    }
    const finding = notChecked('The services are checked once the configuration is valid.');
    report.add({ group: 'Configuration', check: 'Services', finding });
    return null;
  }
}

async function checkServices(
  env: Env,
  { timeoutMs }: Options,
  report: Report,
  onSecret: (value: string) => void,
): Promise<void> {
  // Loaded when it is needed: the help and an invalid configuration are printed at once.
  const { createAccountGroup, createServiceGroups } = await import('./check-groups.ts');
  const deps = { env, variables: process.env, timeoutMs, onSecret };
  const deadlineMs = timeoutMs * REQUESTS_PER_CHECK;
  for await (const result of runChecks(createServiceGroups(deps), deadlineMs)) report.add(result);
  const account = await createAccountGroup(deps);
  for await (const result of runChecks([account], deadlineMs)) report.add(result);
}

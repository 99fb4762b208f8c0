/** The command `npm run doctor` as a separate process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { LocalCloud } from '@tenfold/local-cloud';
import { startLocalCloud } from '../../../../tests/support/local-cloud.ts';
import { killOnExit } from '../../../../tests/support/processes/child-process.ts';
import { freePort } from '../../../../tests/support/processes/site.ts';
import { findSecret, registerSecret } from '../../../../tests/support/secrets/secret-detection.ts';
import { bundleCommand } from '../../../../tests/support/setup/bundled-command.ts';

export type Diagnosis = {
  exitCode: number | null;
  /** Everything that the command has printed. */
  output: string;
  /** Every warning and failure with its fix, in the order of the output. */
  problems: string[];
};

const SOURCE = 'tools/doctor/main.ts';

/** A valid secret of a site. */
export const SESSION_SECRETS = 'q8Rt5vXw2LbT9mZc4NpKs7HdYg1JfUe3';

/** Starts a local cloud. The environment is that of a site at an address at which nothing responds. */
export async function startConfiguredCloud(): Promise<{
  cloud: LocalCloud;
  environment: Record<string, string>;
}> {
  const cloud = await startLocalCloud();
  const appOrigin = `http://localhost:${await freePort()}`;
  const environment = { APP_ORIGIN: appOrigin, SESSION_SECRETS, ...cloud.environment({ appOrigin }) };
  return { cloud, environment };
}

const SECRET_VARIABLES = ['COGNITO_CLIENT_SECRET', 'SESSION_SECRETS'];

/** On a busy machine a response takes long. Tests of time limits set their own. */
const PATIENT = ['--timeout', '60'];

/** Processes that run at the same time. With more of them, each would wait so long that its requests time out. */
const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];
let runs = 0;

/**
 * Runs the command with only the given environment. Rejects when its output contains a secret. `fromSource` starts the
 * TypeScript source with tsx, as npm does. The bundle starts in less than half of the time.
 */
export function runDoctor(
  environment: Record<string, string>,
  args: readonly string[] = [],
  { fromSource = false } = {},
): Promise<Diagnosis> {
  const lane = runs++ % lanes.length;
  const diagnosis = (lanes[lane] ?? Promise.resolve()).then(() => startDoctor(environment, args, fromSource));
  lanes[lane] = diagnosis.catch(() => {});
  return diagnosis;
}

async function startDoctor(
  environment: Record<string, string>,
  args: readonly string[],
  fromSource: boolean,
): Promise<Diagnosis> {
  for (const name of SECRET_VARIABLES) {
    const value = environment[name] ?? '';
    if (value.length >= 20) registerSecret(name, value);
  }
  const start = fromSource
    ? ['--conditions=@tenfold/source', '--import', 'tsx', '--', SOURCE]
    : ['--', await bundleCommand(SOURCE, { withPackages: true })];
  const child = spawn(process.execPath, [...start, ...PATIENT, ...args], {
    env: { NODE_ENV: 'production', PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  killOnExit(child);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const output = stdout + stderr;
  const secret = findSecret(output);
  if (secret !== null) throw new Error(`The doctor printed ${secret}:\n${output}`);
  const problems = output.match(/^ {2}(?:warning|failure) .*\n +Fix: .*$/gm) ?? [];
  return { exitCode: child.exitCode, output, problems };
}

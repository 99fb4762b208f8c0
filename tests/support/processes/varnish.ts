/** A real Varnish with the configuration of `deploy/varnish`. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findVarnish } from '../../../scripts/setup/varnish.mjs';
import { acceptsConnections } from '../http/raw-socket.ts';
import { waitUntil } from '../timing/wait-until.ts';
import { killOnExit } from './kill-on-exit.ts';

const CONFIGURATION = 'deploy/varnish/default.vcl';

/** The parameters that docs/deployment.md names. */
const VARNISH_PARAMETERS: readonly string[] = (
  /^ExecStart=\/usr\/sbin\/varnishd .*?((?: -p \S+)+)/m.exec(
    readFileSync('docs/deployment.md', 'utf8'),
  )?.[1] ?? ''
)
  .trim()
  .split(' ');

export type Varnish = {
  origin: string;
  /** Runs a command of varnishadm and returns its output. */
  admin(...command: string[]): string;
  stop(): Promise<void>;
};

export type VarnishOptions = {
  port: number;
  sitePort: number;
  parameters?: readonly string[];
  /** Added to the environment of the process. */
  environment?: Record<string, string>;
};

const program = findVarnish();

/** Whether Varnish is installed. Tests that need it are skipped otherwise. */
export const hasVarnish = program !== null;
if (!hasVarnish) process.stdout.write('Varnish is not installed: tests that need it are SKIPPED.\n');

/** Starts Varnish in front of the site. Resolves when it accepts connections. */
export async function startVarnish({
  port,
  sitePort,
  parameters = VARNISH_PARAMETERS,
  environment = {},
}: VarnishOptions): Promise<Varnish> {
  if (program === null) throw new Error('Varnish is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'varnish-'));
  const file = join(folder, 'default.vcl');
  const text = readFileSync(CONFIGURATION, 'utf8');
  writeFileSync(file, text.replace('.port = "3000"', `.port = "${sitePort}"`));
  const listen = ['-n', join(folder, 'work'), '-a', `127.0.0.1:${port}`, '-s', 'malloc,512m'];
  // Without its jail, Varnish also starts for users other than root, and in a folder of the test.
  const args = ['-F', '-j', 'none', ...listen, ...parameters, '-f', file];
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  killOnExit(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  const message = () => `Varnish did not start:\n${output}`;
  const accepts = async () => {
    if (child.exitCode !== null) throw new Error(message());
    return acceptsConnections(port);
  };
  await waitUntil(accepts, { message, intervalMs: 20 });
  return {
    origin: `http://localhost:${port}`,
    admin: (...command) =>
      execFileSync('varnishadm', ['-n', join(folder, 'work'), ...command], { encoding: 'utf8' }),
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A real Varnish with the configuration of `deploy/varnish`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findVarnish } from '../../../scripts/setup/varnish.mjs';
import { startServer, stopChild } from './child-process.ts';

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
  /** Runs a command of varnishadm and returns its output. */
  admin(...command: string[]): string;
  stop(): Promise<void>;
};

const program = findVarnish();

/** Whether Varnish is installed. Tests that need it are skipped otherwise. */
export const hasVarnish = program !== null;
if (!hasVarnish) process.stdout.write('Varnish is not installed: tests that need it are SKIPPED.\n');

/** Starts Varnish in front of the site, with `environment` added to that of the process. */
export async function startVarnish(
  { port, sitePort }: { port: number; sitePort: number },
  environment: Record<string, string>,
): Promise<Varnish> {
  if (program === null) throw new Error('Varnish is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'varnish-'));
  const file = join(folder, 'default.vcl');
  const text = readFileSync(CONFIGURATION, 'utf8');
  writeFileSync(file, text.replace('.port = "3000"', `.port = "${sitePort}"`));
  const listen = ['-n', join(folder, 'work'), '-a', `127.0.0.1:${port}`, '-s', 'malloc,512m'];
  // Without its jail, Varnish also starts for users other than root, and in a folder of the test.
  const args = ['-F', '-j', 'none', ...listen, ...VARNISH_PARAMETERS, '-f', file];
  const child = await startServer(program, args, { port, environment });
  return {
    admin: (...command) =>
      execFileSync('varnishadm', ['-n', join(folder, 'work'), ...command], { encoding: 'utf8' }),
    async stop() {
      await stopChild(child, 'SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

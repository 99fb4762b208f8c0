/** The site and the local cloud, as `npm run demo` and `npm run dev` start them. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { acceptsConnections } from '../../../tests/support/http/raw-socket.ts';
import { startChild } from '../../../tests/support/processes/child-process.ts';
import { freePort } from '../../../tests/support/processes/site.ts';

/** A site that is not ready, and ends by the signal. */
const SITE = "console.log('the site starts'); setInterval(() => {}, 1000);";
const PROGRAM = `
  import { runWithCloud } from './tools/setup/local-site.mjs';
  const args = ['--eval', ${JSON.stringify(SITE)}];
  await runWithCloud({ command: process.execPath, args, nodeEnv: 'production', instructions: () => '' });
`;

test('both stop on Ctrl-C before the site is ready', async () => {
  const [port, cloudPort] = [await freePort(), await freePort()];
  const dataDir = mkdtempSync(join(tmpdir(), 'local-cloud-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const { child, output } = startChild(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    env: { ...inherited, PORT: String(port), CLOUD_PORT: String(cloudPort), CLOUD_DATA: dataDir },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(output).toContain('the site starts');
  expect(await acceptsConnections(cloudPort)).toBe(true);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await acceptsConnections(cloudPort)).toBe(false);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { startLocalCloud } from '../../support/local-cloud.ts';
import { killOnExit } from '../../support/processes/child-process.ts';
import { startKeepAliveLoad } from '../../support/processes/keep-alive-load.ts';
import { freePort, SITE_SERVER, waitUntilReady } from '../../support/processes/site.ts';
import { examplePath } from '../../support/this-site.ts';

const cloud = await startLocalCloud();
afterAll(() => cloud.close());

/** Starts the site with this standard output. `output` returns what was read from it, `errors` from standard error. */
async function startWith(stdout: 'pipe' | number) {
  const port = await freePort();
  const metricsPort = await freePort();
  const origin = `http://localhost:${port}`;
  const child = spawn(process.execPath, SITE_SERVER.args, {
    stdio: ['ignore', stdout, 'pipe'],
    env: {
      ...cloud.environment({ appOrigin: origin }),
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      APP_ORIGIN: origin,
      METRICS_PORT: String(metricsPort),
      DRAIN_SECONDS: '0',
      SESSION_SECRETS: 'k7Qe2vXw9RbT4mZc1NpLs8HdYg3JfUa6',
    },
  });
  killOnExit(child);
  onTestFinished(() => void child.kill('SIGKILL'));
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => (errors += text));
  await waitUntilReady(child, `${origin}/readyz`, () => errors);
  const droppedLines = async (reason: string) => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(text.split(`tenfold_log_lines_dropped_total{reason="${reason}"} `)[1]?.split('\n')[0] ?? 0);
  };
  return { child, origin, errors: () => errors, droppedLines };
}

/** Requests pages until more lines are dropped for this reason, and expects that each request has its response. */
async function expectResponses(
  { origin, droppedLines }: Awaited<ReturnType<typeof startWith>>,
  reason: string,
) {
  const before = await droppedLines(reason);
  const { statuses, stop } = startKeepAliveLoad(origin);
  await expect.poll(() => droppedLines(reason)).toBeGreaterThan(before + 10);
  await stop();
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect((await fetch(origin + examplePath())).status).toBe(200);
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
}

async function stop({ child }: Awaited<ReturnType<typeof startWith>>) {
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  return code;
}

const NOTICE = (reason: string) => `Log lines are dropped: standard output has failed (${reason}).\n`;

// threat-model: T-124
it('the site goes on without its log when the disk is full, and says so once', async () => {
  const site = await startWith(openSync('/dev/full', 'w'));
  await expectResponses(site, 'ENOSPC');
  expect(await stop(site)).toBe(0);
  expect(site.errors()).toBe(NOTICE('ENOSPC'));
});

// threat-model: T-124
it('the site goes on without its log when the readers of both outputs are gone', async () => {
  const site = await startWith('pipe');
  site.child.stdout?.destroy();
  site.child.stderr?.destroy();
  await expectResponses(site, 'EPIPE');
  expect(await stop(site)).toBe(0);
});

// threat-model: T-124
it('the site goes on while its log is not read, says how many lines are missing, and stops at once', async () => {
  const site = await startWith('pipe');
  await expectResponses(site, 'stalled');
  expect(site.errors()).toBe(NOTICE('stalled'));
  let output = '';
  site.child.stdout?.setEncoding('utf8').on('data', (text) => (output += text));
  await expect.poll(() => output).toContain('log lines were dropped');
  const line = output.split('\n').find((each) => each.includes('log lines were dropped')) ?? '';
  expect(JSON.parse(line)).toMatchObject({ level: 'warn', dropped: await site.droppedLines('stalled') });

  site.child.stdout?.pause();
  await expectResponses(site, 'stalled');
  expect(await stop(site)).toBe(0);
});

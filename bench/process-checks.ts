import { spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { LocalCloud } from '../local-cloud/start.ts';
import { startKeepAliveLoad, waitUntilNotReady } from '../tests/support/processes/keep-alive-load.ts';
import { freePort, startSite } from '../tests/support/processes/site.ts';
import { type Check, tally } from './check.ts';

const bad: Record<string, string> = {
  missing: '',
  short: 'Zq8Wc2Lx7Rv1Tk9N',
  placeholder: 'change-me-please-0123456789-abcdefgh',
};

/** What a process promises of its beginning and its end. */
export function processChecks(cloud: LocalCloud): Check[] {
  return [
    {
      name: 'SIGTERM under keep-alive load',
      promise: '0 failed requests, exit 0',
      run: () => terminate(cloud),
    },
    {
      name: 'a missing, short or placeholder secret',
      promise: 'no start, the variable named, its value not',
      async run() {
        const outcomes = Object.entries(bad).map(([name, secret]) => `${name}: ${start(cloud, secret)}`);
        return {
          figure: outcomes.join(', '),
          passed: outcomes.every((outcome) => outcome.endsWith('refused')),
        };
      },
    },
  ];
}

async function terminate(cloud: LocalCloud) {
  const port = await freePort();
  const site = await startSite(port, cloud.environment({ appOrigin: `http://localhost:${port}` }));
  const load = startKeepAliveLoad(site.origin);
  while (load.statuses.length < 500) await wait(20);
  const before = load.statuses.length;
  const exited = site.stop('SIGTERM');
  await waitUntilNotReady(site.origin);
  await load.stop();
  const code = await exited;
  const meanwhile = load.statuses.length - before;
  return {
    figure: `${tally(load.statuses)}, ${meanwhile} of them after the signal, exit ${code}`,
    passed: code === 0 && meanwhile > 0 && load.statuses.every((status) => status === 200),
  };
}

function start(cloud: LocalCloud, secret: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['build/server/server.js'], {
    encoding: 'utf8',
    timeout: 10_000,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: '0',
      APP_ORIGIN: 'http://localhost:1',
      ...cloud.environment(),
      SESSION_SECRETS: secret,
    },
  });
  const output = stdout + stderr;
  if (status === 0 || status === null) return 'started';
  if (!output.includes('SESSION_SECRETS')) return 'unnamed';
  return secret && output.includes(secret) ? 'its value printed' : 'refused';
}

/** The start and the end of a process. */
import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import {
  LONG_NOTICE,
  startKeepAliveLoad,
  waitForResponses,
  waitUntilNotReady,
} from '../../../tests/support/processes/keep-alive-load.ts';
import { freePort, startSite } from '../../../tests/support/processes/site.ts';
import type { LocalCloud } from '../../local-cloud/start.ts';
import { type Check, type CheckResult, tally } from './check.ts';

const REJECTED_SECRETS: Readonly<Record<string, string>> = {
  missing: '',
  short: 'Zq8Wc2Lx7Rv1Tk9N',
  placeholder: 'change-me-please-0123456789-abcdefgh',
};

/** Checks of the graceful shutdown and of the validation at the start. */
export function processChecks(cloud: LocalCloud): Check[] {
  return [
    {
      name: 'SIGTERM under keep-alive load',
      expectation: '0 failed requests, exit code 0',
      run: () => terminateUnderLoad(cloud),
    },
    {
      name: 'a missing, short or placeholder secret',
      expectation: 'the process does not start; it names the variable and not its value',
      run: async () => startWithRejectedSecrets(cloud),
    },
  ];
}

async function terminateUnderLoad(cloud: LocalCloud): Promise<CheckResult> {
  const port = await freePort();
  const environment = cloud.environment({ appOrigin: `http://localhost:${port}` });
  const site = await startSite(port, { ...environment, ...LONG_NOTICE });
  const load = startKeepAliveLoad(site.origin);
  while (load.statuses.length < 500) await delay(20);
  const before = load.statuses.length;
  const exited = site.stop('SIGTERM');
  await waitUntilNotReady(site.origin);
  await waitForResponses(load.statuses, 100);
  await load.stop();
  const code = await exited;
  const after = load.statuses.length - before;
  return {
    result: `${tally(load.statuses)}, ${after} of them after the signal, exit code ${code}`,
    passed: code === 0 && after > 0 && load.statuses.every((status) => status === 200),
  };
}

function startWithRejectedSecrets(cloud: LocalCloud): CheckResult {
  const outcomes = Object.entries(REJECTED_SECRETS).map(([name, secret]) => ({
    name,
    outcome: startWithSecret(cloud, secret),
  }));
  return {
    result: outcomes.map(({ name, outcome }) => `${name}: ${outcome}`).join(', '),
    passed: outcomes.every(({ outcome }) => outcome === 'rejected'),
  };
}

function startWithSecret(cloud: LocalCloud, secret: string): string {
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
  if (!output.includes('SESSION_SECRETS')) return 'variable not named';
  return secret && output.includes(secret) ? 'value printed' : 'rejected';
}

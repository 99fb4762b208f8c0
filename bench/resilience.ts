/**
 * What the site withstands, measured on the built site: `npm run resilience`. Everything runs on this machine's
 * loopback; every figure is a count, so that a busy machine changes none of them.
 */

import { redisProgram } from '../tests/support/processes/redis.ts';
import { startStack } from '../tests/support/processes/stack.ts';
import { findSecret } from '../tests/support/secrets/secret-detection.ts';
import type { Check } from './check.ts';
import { failureChecks } from './failure-checks.ts';
import { fleetChecks } from './fleet-checks.ts';
import { processChecks } from './process-checks.ts';
import { refreshChecks } from './refresh-checks.ts';
import { agent, SECRET } from './visitors.ts';

type Row = { name: string; promise: string; figure: string; seconds: string; passed: boolean };

const LIMIT_MS = 5 * 60 * 1000;

setTimeout(() => {
  process.stderr.write('Not done in five minutes.\n');
  process.exit(1);
}, LIMIT_MS).unref();

const only = process.argv[2];
const stack = await startStack({ environment: { SESSION_SECRETS: SECRET } });
const logs: string[] = [];
const checks = [
  ...refreshChecks(stack),
  ...fleetChecks(stack.cloud, (log) => void logs.push(log)),
  ...failureChecks(stack),
  ...processChecks(stack.cloud),
].filter(({ name }) => only === undefined || name.includes(only));

const rows: Row[] = [];
for (const check of checks) await report(check);
const secret = findSecret(logs.join('') + stack.site.output());
await report({
  name: 'secrets in the logs of all of this',
  promise: 'none',
  run: async () => ({ figure: secret ?? 'none', passed: secret === null }),
});

agent.destroy();
await stack.stop();
printTable();
const failed = rows.filter(({ passed }) => !passed).length;
process.stdout.write(`\n${rows.length - failed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);

async function runCheck(check: Check): Promise<{ figure: string; passed: boolean }> {
  try {
    return await check.run();
  } catch (error) {
    return { figure: String(error), passed: false };
  } finally {
    stack.cloud.faults.set({});
  }
}

async function report(check: Check): Promise<void> {
  const startedAt = performance.now();
  const { figure, passed } = await runCheck(check);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  rows.push({ name: check.name, promise: check.promise, figure, seconds, passed });
  process.stdout.write(`${passed ? 'pass' : 'FAIL'}  ${seconds.padStart(5)} s  ${check.name}\n`);
}

function printTable(): void {
  const cells = rows.map(({ passed, name, promise, figure, seconds }) => [
    passed ? 'pass' : 'FAIL',
    name,
    promise,
    figure,
    seconds,
  ]);
  const lines = [
    ['', 'what', 'promised', 'counted', 'seconds'],
    ['---', '---', '---', '---', '---:'],
    ...cells,
  ];
  process.stdout.write(`\n${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`);
  if (redisProgram === null) {
    process.stdout.write('\nSKIPPED: 4 processes, one store (no valkey-server or redis-server)\n');
  }
}

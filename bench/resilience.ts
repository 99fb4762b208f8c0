/**
 * What the site withstands, measured on the built site: `npm run resilience`. Everything runs on this machine's
 * loopback; every figure is a count, so that a busy machine changes none of them.
 */

import { redisProgram } from '../tests/support/redis.ts';
import { findSecret } from '../tests/support/secrets.ts';
import { startStack } from '../tests/support/stack.ts';
import type { Check } from './check.ts';
import { failureChecks } from './failure-checks.ts';
import { fleetChecks } from './fleet-checks.ts';
import { processChecks } from './process-checks.ts';
import { refreshChecks } from './refresh-checks.ts';
import { agent, SECRET } from './visitors.ts';

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

let failed = 0;
for (const check of checks) report(check, await runCheck(check));
const secret = findSecret(logs.join('') + stack.site.output());
report(
  { name: 'secrets in the logs of all of this', promise: 'none' },
  { figure: secret ?? 'none', passed: secret === null },
);
if (redisProgram === null)
  process.stdout.write('SKIPPED: 4 processes, one store (no valkey-server or redis-server)\n');

agent.destroy();
await stack.stop();
process.stdout.write(`\n${checks.length + 1 - failed} passed, ${failed} failed\n`);
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

function report(
  { name, promise }: Pick<Check, 'name' | 'promise'>,
  { figure, passed }: { figure: string; passed: boolean },
): void {
  if (!passed) failed += 1;
  process.stdout.write(
    `${passed ? 'pass' : 'FAIL'}  ${name}\n      promised  ${promise}\n      counted   ${figure}\n`,
  );
}

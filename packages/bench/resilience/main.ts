/**
 * Checks how the built site behaves under races, failures and attacks: `npm run resilience`, or
 * `npm run resilience -- NAME` for the checks whose name contains NAME. The results are counts, which do not depend on the
 * speed of the machine, but for those of `slow clients`, which are ratios of times. With `--build FOLDER` the attacks are
 * directed at the build of another working copy.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { redisProgram } from '../../../tests/support/processes/redis.ts';
import { startStack } from '../../../tests/support/processes/stack.ts';
import { findSecret } from '../../../tests/support/secrets/secret-detection.ts';
import { SESSION_SECRET } from '../load/session-cookies.ts';
import { attackChecks } from './attack-checks.ts';
import type { Check, CheckResult } from './check.ts';
import { failureChecks } from './failure-checks.ts';
import { fleetChecks } from './fleet-checks.ts';
import { processChecks } from './process-checks.ts';
import { refreshChecks } from './refresh-checks.ts';
import { slowChecks } from './slow-checks.ts';
import { agent } from './visitors.ts';

type Row = Check & CheckResult & { seconds: string };

const CHECK_LIMIT_MS = 15 * 60 * 1000;

const { values, positionals } = parseArgs({
  options: { build: { type: 'string', default: '.' } },
  allowPositionals: true,
});
const [nameFilter = ''] = positionals;
if (!existsSync(join(values.build, 'build/server/server.js'))) {
  process.stderr.write(`No build in ${values.build}: name the working copy, not its folder "build".\n`);
  process.exit(1);
}
const stack = await startStack({ environment: { SESSION_SECRETS: SESSION_SECRET } });
const outputs: string[] = [];
const checks = [
  ...refreshChecks(stack),
  ...fleetChecks(stack.cloud, (output) => void outputs.push(output)),
  ...failureChecks(stack),
  ...processChecks(stack.cloud),
  ...attackChecks(values.build),
  ...slowChecks(values.build),
].filter(({ name }) => name.includes(nameFilter));

const rows: Row[] = [];
for (const check of checks) await runAndReport(check);
const secret = findSecret(outputs.join('') + stack.site.output());
await runAndReport({
  name: 'secrets in the logs of all these checks',
  expectation: 'none',
  run: async () => ({ result: secret ?? 'none', passed: secret === null }),
});

agent.destroy();
await stack.stop();
printTable();
const failed = rows.filter(({ passed }) => !passed).length;
process.stdout.write(`\n${rows.length - failed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);

async function runAndReport(check: Check): Promise<void> {
  const limit = setTimeout(() => {
    rows.push({
      ...check,
      result: 'not complete within 15 minutes',
      passed: false,
      seconds: String(CHECK_LIMIT_MS / 1000),
    });
    printTable();
    process.exit(1);
  }, CHECK_LIMIT_MS);
  const startedAt = performance.now();
  const outcome = await runCheck(check);
  clearTimeout(limit);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  rows.push({ ...check, ...outcome, seconds });
  process.stdout.write(`${outcome.passed ? 'pass' : 'FAIL'}  ${seconds.padStart(5)} s  ${check.name}\n`);
}

async function runCheck(check: Check): Promise<CheckResult> {
  try {
    return await check.run();
  } catch (error) {
    return { result: String(error), passed: false };
  } finally {
    stack.cloud.faults.set({});
  }
}

function printTable(): void {
  const lines = [
    ['', 'check', 'expected', 'result', 'seconds'],
    ['---', '---', '---', '---', '---:'],
    ...rows.map(({ passed, name, expectation, result, seconds }) => [
      passed ? 'pass' : 'FAIL',
      name,
      expectation,
      result,
      seconds,
    ]),
  ];
  process.stdout.write(`\n${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`);
  if (redisProgram === null) {
    process.stdout.write('\nSKIPPED: 4 processes, one store (no valkey-server or redis-server)\n');
  }
}

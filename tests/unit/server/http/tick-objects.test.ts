import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Prints how many times longer a tick takes after full garbage collections while none is pending. */
const MEASURE = `
  import { keepTickObject } from './app/server/http/tick-objects.ts';
  keepTickObject();
  const runTicks = () => new Promise((resolve) => {
    let count = 0;
    const startedAt = performance.now();
    const run = () => (++count < 50_000 ? process.nextTick(run) : resolve(performance.now() - startedAt));
    process.nextTick(run);
  });
  // Many short runs: on a busy machine, some of them are not interrupted.
  const shortest = async () => {
    const durations = [];
    for (let index = 0; index < 50; index++) durations.push(await runTicks());
    return Math.min(...durations);
  };
  const before = await shortest();
  for (let round = 0; round < 8; round++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    gc();
  }
  console.log((await shortest()) / before);
`;

test('Ticks are as fast after garbage collections as before.', () => {
  const options = ['--expose-gc', '--import', 'tsx', '--input-type=module', '--eval', MEASURE];
  expect(Number(execFileSync(process.execPath, options, { encoding: 'utf8' }))).toBeLessThan(3);
});

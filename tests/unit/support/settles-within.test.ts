import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { settlesWithin } from '../../support/timing/settles-within.ts';

async function afterThreeDelays(): Promise<string> {
  for (let step = 0; step < 3; step += 1) await delay(20);
  return 'result';
}

describe('settlesWithin', () => {
  it('rejects when the time is over', async () => {
    await expect(settlesWithin(200, new Promise(() => {}))).rejects.toThrow('not settled within 200 ms');
  });

  it('does not count the time for which the event loop is blocked', async () => {
    const limited = settlesWithin(400, afterThreeDelays());
    const end = performance.now() + 600;
    while (performance.now() < end);
    expect(await limited).toBe('result');
  });
});

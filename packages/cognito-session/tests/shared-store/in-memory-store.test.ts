import { describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../src/shared-store/in-memory-store.ts';
import { consumeToken } from '../../src/shared-store/token-bucket.ts';

const bucket = { burst: 3, perSecond: 2 };

/** A store whose clock the test sets. */
function openStore() {
  const time = { now: 1_800_000_000_000 };
  return { time, ...createInMemoryStore(() => time.now) };
}

describe('the token bucket of a key', () => {
  it('allows a burst and then returns the exact time until the next token', async () => {
    const { time, consume } = openStore();
    for (let request = 0; request < 3; request++)
      expect(await consume('ada', bucket)).toEqual({ retryAfterMs: 0 });
    expect(await consume('ada', bucket)).toEqual({ retryAfterMs: 500 });
    time.now += 499;
    expect((await consume('ada', bucket)).retryAfterMs).toBe(1);
    time.now += 1;
    expect((await consume('ada', bucket)).retryAfterMs).toBe(0);
    expect((await consume('ada', bucket)).retryAfterMs).toBe(500);
  });

  it('does not count rejected requests', async () => {
    const { time, consume } = openStore();
    for (let request = 0; request < 100; request++) await consume('ada', bucket);
    time.now += 1500;
    for (let request = 0; request < 3; request++) expect((await consume('ada', bucket)).retryAfterMs).toBe(0);
  });

  // threat-model: T-039
  it('is dropped when there are more than 50,000 buckets', async () => {
    const { consume } = openStore();
    for (let request = 0; request < 4; request++) await consume('ada', bucket);
    for (let visitor = 0; visitor < 50_000; visitor++) await consume(`visitor ${visitor}`, bucket);
    expect((await consume('ada', bucket)).retryAfterMs).toBe(0);
  });

  it('is full, and not fuller, after a long time', () => {
    expect(consumeToken(5, 1_000_000, bucket)).toEqual({ retryAfterMs: 0, fullAt: 1_000_500 });
  });
});

describe('a closed key', () => {
  it('is closed for the given time', async () => {
    const { time, close, isClosed } = openStore();
    await close('ada', 1000);
    time.now += 999;
    expect([await isClosed('ada'), await isClosed('ben')]).toEqual([true, false]);
    time.now += 2;
    expect(await isClosed('ada')).toBe(false);
  });
});

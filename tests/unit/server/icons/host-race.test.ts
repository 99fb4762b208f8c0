import { describe, expect, it } from 'vitest';
import { HostRace } from '../../../../app/server/icons/host-race.ts';
import { createDeferred, createManualTimers } from '../../../support/timing/manual-timers.ts';

/** How a host responds: with a value, never, or with a promise of the test. */
type Host = string | 'not-found' | 'failure' | 'silence' | Promise<string | null>;

/** A race between the hosts that the keys name, with a manual clock. */
function openRace(behavior: Record<string, Host>) {
  const time = createManualTimers();
  const race = new HostRace({ hosts: Object.keys(behavior), schedule: time.schedule, giveUpMs: 5000 });
  const requests: { host: string; signal: AbortSignal }[] = [];
  const late: string[] = [];
  const request = async (host: string, signal: AbortSignal) => {
    requests.push({ host, signal });
    const response = behavior[host] ?? 'silence';
    if (response === 'silence') return new Promise<never>(() => {});
    if (response === 'failure') throw new TypeError('fetch failed');
    return response === 'not-found' ? null : response;
  };
  return {
    time,
    behavior,
    requests,
    late,
    hosts: () => requests.map(({ host }) => host),
    run: () => {
      const response = race.run(request, (value: string) => void late.push(value));
      response.catch(() => {});
      return response;
    },
  };
}

describe('several hosts', () => {
  it('are tried 750 ms after another, in parallel', async () => {
    const { run, requests, hosts, time } = openRace({ a: 'silence', b: 'silence', c: 'icon' });
    const response = run();
    await time.advance(749);
    expect(hosts()).toEqual(['a']);
    await time.advance(1);
    expect(hosts()).toEqual(['a', 'b']);
    expect(requests[0]?.signal.aborted).toBe(false);
    await time.advance(750);
    expect(await response).toBe('icon');
    expect(requests[0]?.signal.aborted).toBe(true);
  });

  it('are tried immediately after a failure', async () => {
    const { run, hosts } = openRace({ a: 'failure', b: 'failure', c: 'icon' });
    expect(await run()).toBe('icon');
    expect(hosts()).toEqual(['a', 'b', 'c']);
  });

  it('are not tried after “not found”, and later responses are ignored', async () => {
    const slow = createDeferred<string | null>();
    const { run, requests, hosts, late, time } = openRace({ a: slow.promise, b: 'not-found', c: 'icon' });
    const response = run();
    await time.advance(750);
    expect(await response).toBeNull();
    expect(requests[0]?.signal.aborted).toBe(true);
    slow.resolve('icon of a');
    await time.advance(10_000);
    expect(hosts()).toEqual(['a', 'b']);
    expect(late).toEqual([]);
  });

  it('time out together, after the 750 ms of the last one and the limit', async () => {
    const { run, time } = openRace({ a: 'silence', b: 'silence' });
    let error: unknown = null;
    run().catch((reason) => {
      error = reason;
    });
    await time.advance(2 * 750 + 4999);
    expect(error).toBeNull();
    await time.advance(1);
    expect(error).toMatchObject({ name: 'UpstreamError', service: 'icon-api', code: 'TimeoutError' });
  });

  it('are unavailable when all have failed, while none is pending', async () => {
    const slow = createDeferred<string | null>();
    const { run, time } = openRace({ a: slow.promise, b: 'failure' });
    const response = run();
    await time.advance(750);
    slow.resolve('icon of a');
    expect(await response).toBe('icon of a');
    const failing = openRace({ a: 'failure', b: 'failure' });
    await expect(failing.run()).rejects.toMatchObject({ code: 'NetworkError' });
  });

  it('are tried in another order after the second has responded', async () => {
    const { run, behavior, hosts } = openRace({ a: 'failure', b: 'icon', c: 'icon' });
    await run();
    behavior.b = 'failure';
    expect(await run()).toBe('icon');
    expect(hosts()).toEqual(['a', 'b', 'b', 'c']);
  });
});

describe('a response after the end of the race', () => {
  it('does not change which host is tried first', async () => {
    const slow = createDeferred<string | null>();
    const { run, time, late, hosts } = openRace({ a: slow.promise, b: 'icon of b' });
    const first = run();
    await time.advance(750);
    expect(await first).toBe('icon of b');
    slow.resolve('icon of a');
    await time.advance(0);
    expect(await run()).toBe('icon of b');
    expect(hosts()).toEqual(['a', 'b', 'b']);
    expect(late).toEqual([]);
  });

  it.each([
    ['is delivered once', 'icon of a', ['icon of a']],
    ['is not delivered if it is “not found”', null, []],
  ])('%s when the race has timed out', async (_what, response, delivered) => {
    const [first, second] = [createDeferred<string | null>(), createDeferred<string | null>()];
    const { run, time, late } = openRace({ a: first.promise, b: second.promise });
    const race = run();
    await time.advance(2 * 750 + 5000);
    await expect(race).rejects.toMatchObject({ code: 'TimeoutError' });
    first.resolve(response);
    await time.advance(0);
    second.resolve('icon of b');
    await time.advance(0);
    expect(late).toEqual(delivered);
  });
});

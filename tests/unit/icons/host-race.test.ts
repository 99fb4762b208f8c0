import { describe, expect, it } from 'vitest';
import { createHostRace } from '../../../app/icons/host-race.ts';
import { createDeferred, createManualTimers } from '../../support/timing/manual-timers.ts';

/** A race between the hosts a and b, each of which responds when the test says so, whatever its signal is. */
function openRace() {
  const time = createManualTimers();
  const responses = new Map<string, ReturnType<typeof createDeferred<string | null>>>();
  const race = createHostRace({ hosts: ['a', 'b'], schedule: time.schedule });
  const late: string[] = [];
  const order: string[] = [];
  const run = () =>
    race.run<string>(
      (host) => {
        const response = createDeferred<string | null>();
        responses.set(host, response);
        order.push(host);
        return response.promise;
      },
      (value) => late.push(value),
    );
  return {
    run,
    time,
    late,
    order,
    respond: (host: string, value: string | null) => responses.get(host)?.resolve(value),
  };
}

describe('a response after the end of the race', () => {
  it('does not change which host is tried first', async () => {
    const { run, time, late, order, respond } = openRace();
    const first = run();
    await time.advance(750);
    respond('b', 'icon of b');
    expect(await first).toEqual({ state: 'loaded', value: 'icon of b' });
    respond('a', 'icon of a');
    await time.advance(0);
    void run();
    await time.advance(0);
    expect(order).toEqual(['a', 'b', 'b']);
    expect(late).toEqual([]);
  });

  it.each([
    ['is delivered once', 'icon of a', ['icon of a']],
    ['is not delivered if it is “not found”', null, []],
  ])('%s when the race has timed out', async (_what, first, delivered) => {
    const { run, time, late, respond } = openRace();
    const race = run();
    await time.advance(2 * 750 + 5000);
    expect(await race).toEqual({ state: 'failed', reason: 'timed-out' });
    respond('a', first);
    await time.advance(0);
    respond('b', 'icon of b');
    await time.advance(0);
    expect(late).toEqual(delivered);
  });
});

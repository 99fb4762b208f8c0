import { describe, expect, it } from 'vitest';
import { layOutLegs } from '~/pages/test-message/call-timing/call-legs.ts';
import type { CallLeg } from '../../../../packages/appsync-proxy/src/data-api/call-timing.ts';

const timing = {
  session: 1,
  identity: 0,
  sign: 1,
  upstream: 18,
  pause: 0,
  identityCached: true,
  attempts: 1,
};

describe('layOutLegs', () => {
  it('places the legs of a call with a result one after the other, in proportion to their durations', () => {
    const { legs, total } = layOutLegs(timing);
    expect(total).toBe(20);
    expect(legs.map(({ name, state, ms, start, length }) => [name, state, ms, start, length])).toEqual([
      ['session', 'done', 1, 0, 5],
      ['identity', 'done', 0, 5, 1.5],
      ['sign', 'done', 1, 5, 5],
      ['upstream', 'done', 18, 10, 90],
    ]);
  });

  it('places the pauses between attempts, which are part of the total', () => {
    const { legs, total } = layOutLegs({ ...timing, pause: 20, attempts: 3, failedLeg: 'upstream' });
    expect(total).toBe(40);
    expect(legs.at(-1)).toMatchObject({ name: 'pause', state: 'done', ms: 20, start: 50, length: 50 });
  });

  it('keeps a short last leg within the line', () => {
    const { legs } = layOutLegs({ ...timing, session: 1000, upstream: 0 });
    for (const { start, length } of legs) {
      expect(length).toBeGreaterThan(0);
      expect(start + length).toBeLessThanOrEqual(100);
    }
  });

  it('handles a call that took no time', () => {
    const { legs, total } = layOutLegs({ ...timing, session: 0, sign: 0, upstream: 0 });
    expect(total).toBe(0);
    expect(legs.every(({ start, length }) => start === 0 && length === 1.5)).toBe(true);
  });

  it('marks the leg in which a call failed, and the legs that it did not reach', () => {
    const statesFor = (failedLeg: CallLeg | null) =>
      layOutLegs({ ...timing, failedLeg }).legs.map(({ state }) => state);
    expect(statesFor('identity')).toEqual(['done', 'failed', 'not-reached', 'not-reached']);
    expect(statesFor('upstream')).toEqual(['done', 'done', 'done', 'failed']);
    expect(statesFor(null)).toEqual(['done', 'not-reached', 'not-reached', 'not-reached']);
  });
});

import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../../app/server/http/exchange.ts';
import { createRenderLimit } from '../../../../app/server/http/render-limit.ts';
import { CallController } from '../../../../app/server/resilience/call-signal.ts';
import { UpstreamError } from '../../../../app/server/resilience/upstream-error.ts';

/** A limit and pages whose rendering ends when the test ends it. */
function openLimit() {
  const shed: string[] = [];
  const limit = createRenderLimit({
    metrics: { shed: (service) => void shed.push(service) },
    reject: (_exchange, { status, code, headers = {} }) => ({ status, headers, body: code }),
  });
  // The limit reads nothing else of an exchange.
  const exchange = { signal: new CallController() } as unknown as Exchange;
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const render = (visitor: string) =>
    limit(exchange, visitor, () => {
      started.push(visitor);
      return new Promise<string>((resolve) => ends.push(() => resolve('page')));
    });
  return { limit, exchange, render, started, ends, shed };
}

const times = <T>(count: number, create: () => T): T[] => Array.from({ length: count }, create);
const rounds = async (count: number) => {
  for (let round = 0; round < count; round += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('the limit of pages that are rendered', () => {
  // threat-model: T-089
  it('renders eight pages of a visitor at a time, keeps 512 waiting, and rejects others with 503', async () => {
    const { render, started, ends, shed } = openLimit();
    const pages = times(520, () => render('one'));
    expect(await render('one')).toEqual({ status: 503, headers: { 'retry-after': '1' }, body: 'Overloaded' });
    expect(shed).toEqual(['rendering']);
    await rounds(20);
    expect(started).toHaveLength(8);
    for (let ended = 0; ended < 520; ended += 1) {
      ends[ended]?.();
      await rounds(3);
    }
    expect(await Promise.all(pages)).toEqual(times(520, () => 'page'));
  });

  // threat-model: T-089
  it('does not make visitors wait for the queue of another one', async () => {
    const { render, started } = openLimit();
    const flood = times(520, () => render('flood'));
    const page = render('honest');
    await rounds(20);
    expect(started.filter((visitor) => visitor === 'honest')).toHaveLength(1);
    expect(started).toHaveLength(9);
    void Promise.allSettled([...flood, page]);
  });

  // threat-model: T-089
  it('starts one rendering in each round of the event loop', async () => {
    const { limit, exchange } = openLimit();
    let round = 0;
    const count = () => {
      round += 1;
      if (round < 50) setImmediate(count);
    };
    setImmediate(count);
    const startedIn = await Promise.all(times(8, () => limit(exchange, 'one', async () => round)));
    expect(new Set(startedIn).size).toBe(8);
  });

  it.each([
    ['of its own', new Error('failed')],
    ['of an upstream', new UpstreamError('data-api', 'Overloaded', 'failed')],
  ])('passes an error on that a rendering has: %s', async (_which, error) => {
    const { limit, exchange } = openLimit();
    await expect(limit(exchange, 'one', () => Promise.reject(error))).rejects.toBe(error);
  });
});

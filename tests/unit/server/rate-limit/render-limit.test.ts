import { describe, expect, it } from 'vitest';
import { createRenderLimit } from '../../../../app/server/rate-limit/render-limit.ts';
import type { Exchange } from '../../../../packages/site-server/src/exchange.ts';
import { UpstreamError } from '../../../../packages/upstream/src/upstream-error.ts';

/** A limit and pages whose rendering ends when the test ends it. */
function openLimit() {
  const shed: string[] = [];
  const limit = createRenderLimit({
    metrics: { shed: (service) => void shed.push(service) },
    reject: (_exchange, { status, code, headers = {} }) => ({ status, headers, body: code }),
  });
  // The limit reads nothing else of an exchange.
  const exchange = {
    get signal() {
      return new AbortController().signal;
    },
  } as unknown as Exchange;
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
  it('lets a visitor have forty pages in progress, and rejects others with 503', async () => {
    const { render, ends, shed } = openLimit();
    const pages = times(40, () => render('one'));
    expect(await render('one')).toEqual({ status: 503, headers: { 'retry-after': '1' }, body: 'Overloaded' });
    expect(shed).toEqual(['rendering']);
    await expect.poll(() => ends.length).toBe(40);
    ends[0]?.();
    expect(await pages[0]).toBe('page');
    const further = render('one');
    await expect.poll(() => ends.length).toBe(41);
    for (const end of ends) end();
    expect(await Promise.all([...pages, further])).toEqual(times(41, () => 'page'));
  });

  // threat-model: T-089
  it('rejects all visitors while 2,048 pages are in progress', async () => {
    const { render } = openLimit();
    const pages = times(52, () => 'visitor').flatMap((name, index) => times(40, () => render(name + index)));
    expect(await render('honest')).toMatchObject({ status: 503 });
    void Promise.allSettled(pages);
  });

  // threat-model: T-089
  it('is not full when fifty visitors request a hundred pages each', async () => {
    const { render } = openLimit();
    const floods = times(50, () => 'flood').flatMap((name, index) => times(100, () => render(name + index)));
    const page = render('honest');
    expect(await Promise.race([page, rounds(20)])).toBeUndefined();
    void Promise.allSettled([...floods, page]);
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

  it('does not begin a page whose client has left', async () => {
    const { limit, started } = openLimit();
    const left = { signal: AbortSignal.abort() } as unknown as Exchange;
    await expect(limit(left, 'one', async () => void started.push('one'))).rejects.toThrow();
    expect(started).toEqual([]);
  });

  it.each([
    ['of its own', new Error('failed')],
    ['of an upstream', new UpstreamError('data-api', 'Overloaded', 'failed')],
  ])('passes an error on that a rendering has: %s', async (_which, error) => {
    const { limit, exchange } = openLimit();
    await expect(limit(exchange, 'one', () => Promise.reject(error))).rejects.toBe(error);
  });
});

/** Limits how many pages are rendered at the same time. A page in progress takes memory, and its rendering takes CPU time. */
import { setImmediate } from 'node:timers/promises';
import type { Metrics } from '../observability/metrics.ts';
import { ConcurrencyLimit } from '../resilience/concurrency-limit.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import type { Exchange, SiteResponse } from './exchange.ts';
import { type Rejection, retryAfter } from './rejection.ts';

const LIMIT = { maxConcurrent: 128, maxQueued: 2048 };
/** For one visitor, or all visitors without a session behind one address. A page that waits for its data keeps its place. */
const LIMIT_PER_VISITOR = { maxConcurrent: 8, maxQueued: 512 };

/** Among the pages that may be rendered. `LIMIT` bounds how many wait. */
const TURNS = { maxConcurrent: 1, maxQueued: Number.POSITIVE_INFINITY };

/**
 * Runs `render` when it is the visitor's turn. `visitor` is a name for the session or the address. Resolves to 503 with
 * `Retry-After` when too many pages are waiting, and rejects when the client disconnects while the page waits.
 */
export type RenderLimit = <T>(
  exchange: Exchange,
  visitor: string,
  render: () => Promise<T>,
) => Promise<T | SiteResponse>;

type RenderLimitDeps = {
  metrics: Pick<Metrics, 'shed'>;
  reject: (exchange: Exchange, rejection: Rejection) => SiteResponse;
};

/** Creates the limit of a process. */
export function createRenderLimit({ metrics, reject }: RenderLimitDeps): RenderLimit {
  const limit = new ConcurrencyLimit({
    ...LIMIT,
    service: 'rendering',
    perCaller: LIMIT_PER_VISITOR,
    metrics,
  });
  // One rendering starts in each round of the event loop, so that other requests are handled between two of them.
  const turns = new ConcurrencyLimit({ ...TURNS, service: 'rendering', metrics });
  return async (exchange, visitor, render) => {
    const { signal } = exchange;
    const renderInTurn = async () => {
      await turns.run(signal, () => setImmediate(), visitor);
      return render();
    };
    try {
      return await limit.run(signal, renderInTurn, visitor);
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.service !== 'rendering') throw error;
      const { code, details } = error;
      return reject(exchange, { status: 503, code, headers: retryAfter(details.retryAfterMs ?? 0) });
    }
  };
}

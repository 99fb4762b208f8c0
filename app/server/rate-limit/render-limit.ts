/** Limits the pages in progress. Each takes memory, and its rendering takes CPU time without a pause. */

import {
  createRounds,
  type Exchange,
  Quota,
  type Reject,
  retryAfter,
  type SiteResponse,
} from '@tenfold/site-server';
import type { Metrics } from '../metrics/metrics.ts';

/**
 * In all, and of one account, or of all visitors without a session behind one address. When the limit of all is reached,
 * every visitor is refused, so that it must take many to reach it.
 */
const LIMIT = { max: 2048, maxPerKey: 40 };
const RETRY_AFTER_MS = 1000;

/**
 * Runs `render` in a round of the event loop in which no other page begins. `visitor` is a name for the account or the
 * address. Resolves to 503 with `Retry-After` when too many pages are in progress, and rejects when the client disconnects
 * before the page begins.
 */
export type RenderLimit = <T>(
  exchange: Exchange,
  visitor: string,
  render: () => Promise<T>,
) => Promise<T | SiteResponse>;

type RenderLimitDeps = {
  metrics: Pick<Metrics, 'shed'>;
  reject: Reject;
};

/** Creates the limit of a process. */
export function createRenderLimit({ metrics, reject }: RenderLimitDeps): RenderLimit {
  const pages = new Quota(LIMIT);
  const nextRound = createRounds();
  return async (exchange, visitor, render) => {
    if (!pages.take(visitor)) {
      metrics.shed('rendering');
      return reject(exchange, { status: 503, code: 'Overloaded', headers: retryAfter(RETRY_AFTER_MS) });
    }
    try {
      await nextRound();
      exchange.signal.throwIfAborted();
      return await render();
    } finally {
      pages.release(visitor);
    }
  };
}

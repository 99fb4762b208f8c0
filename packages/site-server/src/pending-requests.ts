/** Limits the requests in progress, of the process and of one address. A trusted proxy names the address. */
import type { IncomingMessage } from 'node:http';
import type { Step } from './exchange.ts';
import { Quota } from './quota.ts';
import { retryAfter } from './rejection.ts';
import type { Reject } from './rules.ts';
import { addressBlock } from './visitor-address.ts';

/**
 * Of the 4,096 connections, each of which has one request in progress, some are left for responses with 503 and for health
 * checks. The visitors of one office have far fewer than the limit of an address.
 */
const LIMIT = { max: 3072, maxPerKey: 1024 };
const RETRY_AFTER_MS = 1000;

type PendingRequestsOptions = {
  addressOf: (request: IncomingMessage) => string;
  reject: Reject;
  limit?: { max: number; maxPerKey: number };
};

/** Creates a step that responds with 503 while too many other requests are in progress. */
export function createPendingLimit({ addressOf, reject, limit = LIMIT }: PendingRequestsOptions): Step {
  const pending = new Quota(limit);
  return (exchange) => {
    const address = addressBlock(addressOf(exchange.request));
    if (!pending.take(address)) {
      return reject(exchange, { status: 503, code: 'Overloaded', headers: retryAfter(RETRY_AFTER_MS) });
    }
    exchange.response.once('close', () => pending.release(address));
    return null;
  };
}

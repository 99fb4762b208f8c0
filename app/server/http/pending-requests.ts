/**
 * Limits the requests in progress of one address that a trusted proxy names. Without a proxy, `Connections` limits the
 * connections of an address, each of which has one request in progress.
 */
import type { IncomingMessage } from 'node:http';
import type { Env } from '../config/env.ts';
import { Counts } from './counts.ts';
import type { Exchange, SiteResponse, Step } from './exchange.ts';
import { type Rejection, retryAfter } from './rejection.ts';
import { addressBlock } from './visitor-address.ts';

/** Far more than the visitors of one office have. */
const MAX_PENDING = 1024;
const RETRY_AFTER_MS = 1000;

type PendingRequestsOptions = {
  env: Pick<Env, 'trustedProxies'>;
  addressOf: (request: IncomingMessage) => string;
  reject: (exchange: Exchange, rejection: Rejection) => SiteResponse;
  maxPending?: number;
};

/** Creates a step that responds with 503 while the address of a request has too many others in progress. */
export function createPendingLimit(options: PendingRequestsOptions): Step {
  const { env, addressOf, reject, maxPending = MAX_PENDING } = options;
  const pending = new Counts();
  if (env.trustedProxies === 0) return () => null;
  return (exchange) => {
    const address = addressBlock(addressOf(exchange.request));
    if (pending.get(address) >= maxPending) {
      return reject(exchange, { status: 503, code: 'Overloaded', headers: retryAfter(RETRY_AFTER_MS) });
    }
    pending.add(address);
    exchange.response.once('close', () => pending.remove(address));
    return null;
  };
}

/** Compares what visitors get through a cache with what the site itself sends. */
import { type MixedRequest, mixedRequest } from '../../../tests/support/shared-caches/mixed-requests.ts';
import { createRawClient } from '../../../tests/support/shared-caches/raw-exchange.ts';
import { sendToBoth } from '../../../tests/support/shared-caches/same-page.ts';
import type {
  CacheProcess,
  SiteBehindCache,
} from '../../../tests/support/shared-caches/site-behind-cache.ts';

const LANES = 16;
const SEED = 20_261_125;

type Comparison = { same: number; rejected: number; attacks: number; wrong: unknown[] };

/** Sends the first `count` mixed requests through the cache and to the site. */
export async function compareMixedRequests(
  { ports, host, members, cache }: SiteBehindCache<CacheProcess>,
  { reads }: { reads: (request: MixedRequest) => MixedRequest },
  count: number,
): Promise<Comparison> {
  const result: Comparison = { same: 0, rejected: 0, attacks: 0, wrong: [] };
  let next = 0;
  const lane = async () => {
    const clients = {
      cache: createRawClient(ports.cache, cache.certificate),
      site: createRawClient(ports.site),
    };
    for (let index = next++; index < count; index = next++) {
      const request = mixedRequest({ seed: SEED, host, members }, index);
      if (request.attack !== null) result.attacks += 1;
      const { verdict } = await sendToBoth(clients, request, reads);
      if (typeof verdict === 'object') result.wrong.push({ index, request, ...verdict });
      else result[verdict] += 1;
    }
    for (const client of Object.values(clients)) client.close();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return result;
}

/** The built site behind the real caches, with the configurations that the repository ships. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyAsNewBuild } from '../../support/processes/builds.ts';
import { cacheSetups, type SharedCache, systemClock } from '../../support/shared-caches/cache-setups.ts';
import { DISTRIBUTION_DOMAIN } from '../../support/shared-caches/cloudfront.ts';
import { type MixedRequest, mixedRequest, pagePaths } from '../../support/shared-caches/mixed-requests.ts';
import { createRawClient, type ReceivedResponse } from '../../support/shared-caches/raw-exchange.ts';
import { sendToBoth } from '../../support/shared-caches/same-page.ts';
import { type SiteBehindCache, startSiteBehindCache } from '../../support/shared-caches/site-behind-cache.ts';

const REQUESTS = 180;
const LANES = 8;
const SEED = 20_261_125;

describe.each(cacheSetups)('the site behind $name', (setup) => {
  const { name, isInstalled, scheme, reads } = setup;
  let stack: SiteBehindCache<SharedCache>;
  beforeAll(async () => {
    if (isInstalled)
      stack = await startSiteBehindCache((ports) => setup.start(ports, systemClock), { scheme });
  });
  afterAll(() => stack?.stop());

  const toCache = () => createRawClient(stack.ports.cache, stack.cache.certificate);

  /** Sends one request to the cache. */
  const get = async (path: string, headers: Record<string, string> = {}): Promise<ReceivedResponse> => {
    const client = toCache();
    const own = { Host: stack.host, 'Sec-Fetch-Site': 'same-origin', ...headers };
    const response = await client.send({
      method: 'GET',
      path,
      headers: Object.entries(own).flat(),
      body: '',
    });
    client.close();
    return response;
  };
  const isHit = ({ headers }: ReceivedResponse) => /; hit/.test(headers['cache-status'] ?? '');
  const buildOf = ({ body }: ReceivedResponse) => /<meta name="build-id" content="([^"]*)"/.exec(body)?.[1];

  // threat-model: T-107, T-108
  it.runIf(isInstalled)(
    'sends every visitor what the site itself sends, and hostile ones nothing else',
    async () => {
      const wrong: unknown[] = [];
      let next = 0;
      const lane = async () => {
        const clients = { cache: toCache(), site: createRawClient(stack.ports.site) };
        for (let index = next++; index < REQUESTS; index = next++) {
          const request: MixedRequest = mixedRequest(
            { seed: SEED, host: stack.host, members: stack.members },
            index,
          );
          const { verdict } = await sendToBoth(clients, request, reads);
          if (typeof verdict === 'object') wrong.push({ index, request, ...verdict });
        }
        for (const client of Object.values(clients)) client.close();
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      expect(wrong).toEqual([]);
    },
  );

  it.runIf(isInstalled)(
    'sends a page to others from the cache, to be validated by browsers, with ids of their own',
    async () => {
      const first = await get('/', { Cookie: 'theme=dark' });
      const second = await get('/', { Cookie: 'a=b; theme=dark', 'User-Agent': 'x' });
      expect([isHit(first), isHit(second)]).toEqual([false, true]);
      expect(second.body).toBe(first.body);
      expect(second.headers['cache-control']).toBe('private, no-cache');
      expect(second.headers).not.toHaveProperty('cdn-cache-control');
      const ids = [first, second, await get('/', { Cookie: 'theme=dark' })].map(
        ({ headers }) => headers['x-request-id'],
      );
      // CloudFront adds an id under a name of its own.
      if (name === 'CloudFront') expect(ids).toEqual([undefined, undefined, undefined]);
      else expect(new Set(ids.filter((id = '') => id.length > 10)).size).toBe(3);
      const again = await get('/', { Cookie: 'theme=dark', 'If-None-Match': second.headers.etag ?? '' });
      expect([again.status, again.body, isHit(again)]).toEqual([304, '', true]);
    },
  );

  it.runIf(isInstalled)('sends a page to one visitor while another wants it from another host', async () => {
    const [path = ''] = pagePaths.slice(-1);
    const [foreign, own] = await Promise.all([get(path, { Host: DISTRIBUTION_DOMAIN }), get(path)]);
    expect([foreign.status, own.status]).toEqual([421, 200]);
  });

  it.runIf(isInstalled)('sends a file of the build from the cache', async () => {
    const path = /"(\/assets\/[^"]+\.css)"/.exec((await get('/')).body)?.[1] ?? '';
    const [first, second] = [await get(path), await get(path, { Cookie: stack.members[0] ?? '' })];
    expect([first.status, isHit(first), isHit(second)]).toEqual([200, false, true]);
    expect(second.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await get('/assets/missing-12345678.css')).status).toBe(404);
  });

  it.runIf(isInstalled)(
    'sends all pages when the site is gone, and a new build after the purge',
    async () => {
      for (const path of pagePaths) await get(path);
      const earlier = buildOf(await get('/'));
      await stack.site.stop();
      for (const path of pagePaths) expect([path, (await get(path)).status]).toEqual([path, 200]);
      // The site can neither redirect this visitor nor set a cookie.
      const arrival = await get('/', { 'Sec-Fetch-Site': 'none' });
      expect([arrival.status, arrival.headers['set-cookie']]).toEqual([
        name === 'CloudFront' ? 502 : 200,
        undefined,
      ]);
      const refused = await get('/', { Cookie: stack.members[0] ?? '' });
      expect([502, 503]).toContain(refused.status);
      await stack.startAgain(copyAsNewBuild('shared-caches'));
      expect(buildOf(await get('/'))).toBe(earlier);
      stack.cache.purge();
      const later = await get('/');
      expect(later.status).toBe(200);
      expect(buildOf(later)).not.toBe(earlier);
    },
  );
});

/** What visitors get when the site is gone, and after a deployment. */
import type { SharedCache } from '../../../tests/support/shared-caches/cache-setups.ts';
import { pagePaths } from '../../../tests/support/shared-caches/mixed-requests.ts';
import { createRawClient, type ReceivedResponse } from '../../../tests/support/shared-caches/raw-exchange.ts';
import type { SiteBehindCache } from '../../../tests/support/shared-caches/site-behind-cache.ts';

const HOURS = 24;

type Stack = SiteBehindCache<SharedCache>;

async function requestPages({ ports, host, cache }: Stack): Promise<ReceivedResponse[]> {
  const client = createRawClient(ports.cache, cache.certificate);
  const responses: ReceivedResponse[] = [];
  for (const path of pagePaths) {
    const headers = ['Host', host, 'Sec-Fetch-Site', 'same-origin'];
    responses.push(await client.send({ method: 'GET', path, headers, body: '' }));
  }
  client.close();
  return responses;
}

/** Stops the site, and requests all pages every hour for a day by the clock of the cache. */
export async function outliveSite(stack: Stack): Promise<{ pages: number; sent: number; hours: number }> {
  await requestPages(stack);
  await stack.site.stop();
  let sent = 0;
  for (let hour = 0; hour < HOURS; hour++) {
    stack.cache.advance(3600);
    const responses = await requestPages(stack);
    sent += responses.filter(({ status, body }) => status === 200 && body.includes('</html>')).length;
  }
  return { pages: pagePaths.length * HOURS, sent, hours: HOURS };
}

/** Starts the other build, purges the cache, and returns after how many seconds the last page of the earlier one came. */
export async function showNewBuild(stack: Stack, directory: string): Promise<{ seconds: number }> {
  const buildOf = ({ body }: ReceivedResponse) => /<meta name="build-id" content="([^"]*)"/.exec(body)?.[1];
  const [first] = await requestPages(stack);
  const earlier = first && buildOf(first);
  if (!earlier) throw new Error('The cache sends no page.');
  await stack.startAgain(directory);
  stack.cache.purge();
  const startedAt = performance.now();
  for (let seconds = 0; ; ) {
    const builds = (await requestPages(stack)).map(buildOf);
    if (builds.every((build) => build !== undefined && build !== earlier)) return { seconds };
    seconds = (performance.now() - startedAt) / 1000;
    if (seconds > 60) return { seconds };
  }
}

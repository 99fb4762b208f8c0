/** Traffic of every kind, which a process has served before it is measured a second time. */
import { generateLoad } from '../load/built-in-generator.ts';
import type { BenchRequest } from '../load/http-request.ts';
import { CONNECTIONS } from '../load/rounds.ts';
import { sendRequest } from './exchange.ts';
import type { Settings } from './settings.ts';
import { type MeasuredSite, pageRequest, proxyRequest } from './sites.ts';

export type Failures = { requests: number; signUps: number };

/**
 * Sends the mix of `requestMix` to a site, with complete sign-ups meanwhile. Returns how many requests and sign-ups
 * failed.
 */
export async function sendMixedTraffic(
  site: MeasuredSite,
  { mixedRequests, signUps }: Pick<Settings, 'mixedRequests' | 'signUps'>,
  connections = CONNECTIONS,
): Promise<Failures> {
  const cookie = await site.signUp();
  const requests = await requestMix(site, cookie);
  const until = { responses: mixedRequests };
  const [{ failed }, failedSignUps] = await Promise.all([
    generateLoad({ port: site.port, requests, connections, until }),
    signUpRepeatedly(site, signUps),
  ]);
  return { requests: failed, signUps: failedSignUps };
}

/** A hundred requests in a fixed order that spreads each kind evenly. */
async function requestMix(site: MeasuredSite, cookie: string): Promise<BenchRequest[]> {
  const { host } = site;
  const { body } = await sendRequest(site.port, { path: '/fr', host });
  const stylesheet = /\/assets\/root-[\w-]+\.css/.exec(body.toString())?.[0];
  if (stylesheet === undefined) throw new Error('The page has no style sheet.');
  const anonymous = ['/', '/fr', '/ar/test-message', '/ja/typography-demo'];
  return spreadEvenly([
    ...anonymous.map((path) => ({ count: 10, request: pageRequest(site, path, 'br') })),
    { count: 15, request: pageRequest(site, stylesheet, 'br') },
    { count: 5, request: { path: '/robots.txt', host } },
    { count: 20, request: proxyRequest(site, cookie) },
    // Rejected by the request filter: a form of another site, and another host.
    { count: 7, request: { ...proxyRequest(site, cookie), headers: { 'sec-fetch-site': 'cross-site' } } },
    { count: 3, request: { path: '/', host: 'other.example' } },
    { count: 3, request: pageRequest(site, '/de', 'gzip', cookie) },
    { count: 2, request: pageRequest(site, '/test-message', 'br', cookie) },
    { count: 3, request: { path: '/auth/sign-in?returnTo=/fr', host } },
    { count: 2, request: pageRequest(site, '/no-such-page', 'gzip') },
  ]);
}

function spreadEvenly(kinds: readonly { count: number; request: BenchRequest }[]): BenchRequest[] {
  const placed = kinds.flatMap(({ count, request }) =>
    Array.from({ length: count }, (_, index) => ({ request, position: (index + 0.5) / count })),
  );
  return placed.sort((a, b) => a.position - b.position).map(({ request }) => request);
}

/** Returns how many sign-ups failed. They have deadlines, which a busy machine may exceed. */
async function signUpRepeatedly(site: MeasuredSite, count: number): Promise<number> {
  let failed = 0;
  for (let done = 0; done < count; done++) {
    await site.signUp().catch((error: Error) => {
      failed += 1;
      process.stderr.write(`${error.message}\n`);
    });
  }
  return failed;
}

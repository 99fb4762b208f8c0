/**
 * Every route, by every method, with whatever comes to mind. FUZZ_REQUESTS sends more of them, FUZZ_SEED others; a
 * failure says both, and what was sent.
 */
import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createChance, hostileRequest, MARKUP } from '../support/hostile-requests.ts';
import { type RawRequest, type RawResponse, sendRaw } from '../support/raw-http.ts';
import { findSecret } from '../support/secrets.ts';
import { freePort } from '../support/site.ts';
import { createSiteVisitor, type SiteVisitor } from '../support/site-visitor.ts';
import { type Stack, startStack } from '../support/stack.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 20_000);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const LANES = 24;
/** Far above what any answer takes, so that a busy machine is not taken for a slow answer. */
const SLOW_MS = 5000;
/** Remix's own words for a 405 tell the route's name, which the address tells too. */
const INTERNAL =
  /\bat .*\.(?:js|ts):\d+|node_modules|file:\/\/|\b\w*Error: (?!You made a POST request)|root:x:0/;
const MEGABYTE = 1024 * 1024;

let stack: Stack;
let metricsPort: number;
const agent = new Agent({ keepAlive: true, maxSockets: LANES });
const people: SiteVisitor[] = [];
let witness: SiteVisitor;

beforeAll(async () => {
  metricsPort = await freePort();
  stack = await startStack({
    environment: { RATE_LIMIT_SCALE: '0', METRICS_PORT: String(metricsPort), ICON_API_HOSTS: 'none' },
  });
  for (const name of ['ada', 'ben', 'witness']) {
    const person = createSiteVisitor(stack.site.origin, agent);
    await person.signUp(stack.cloud, { email: `${name}@example.com`, password: 'Correct-Horse-7' });
    people.push(person);
  }
  [witness] = people.splice(2) as [SiteVisitor];
}, 60_000);
afterAll(async () => {
  agent.destroy();
  await stack.stop();
});

/** What is wrong with an answer, in words. */
function findFault({ method }: RawRequest, { status, headers, body, ms }: RawResponse): string | null {
  const isHtml = headers['content-type']?.startsWith('text/html') ?? false;
  const location = headers.location ?? '/';
  const policy = String(headers['content-security-policy']);
  const secret = findSecret(body + location);
  const faults: [boolean, string][] = [
    [status < 200 || status >= 500, `status ${status}`],
    [ms > SLOW_MS, `${Math.round(ms)} ms`],
    [!/^[\w-]{36}$/.test(String(headers['x-request-id'])), 'no request id'],
    [headers['x-content-type-options'] !== 'nosniff', 'no nosniff'],
    [!/default-src '(none|self)'/.test(policy) || policy.includes('unsafe-'), `policy ${policy}`],
    [headers['cache-control'] === undefined, 'no Cache-Control'],
    [
      'set-cookie' in headers && !/^private\b/.test(headers['cache-control'] ?? ''),
      'a cookie that caches may keep',
    ],
    [headers['access-control-allow-origin'] !== undefined, 'open to other origins'],
    [!isOwn(location), `leads to ${location}`],
    [method === 'HEAD' && body !== '', 'a body for HEAD'],
    [INTERNAL.test(body), 'something internal'],
    [body.includes(process.cwd()), 'a path on disk'],
    [isHtml && MARKUP.some((markup) => body.includes(markup)), 'markup as it came'],
    [secret !== null, String(secret)],
  ];
  return faults.find(([isFault]) => isFault)?.[1] ?? null;
}

/** On the site, or at the hosted login, which the configuration names. */
function isOwn(location: string): boolean {
  const { origin } = new URL(location, stack.site.origin);
  return origin === stack.site.origin || origin === stack.cloud.origin;
}

async function sendMany(from: number, to: number): Promise<Map<number, number>> {
  const sessions = people.map(({ cookies }) => [...cookies.cookies].map((pair) => pair.join('=')).join('; '));
  const statuses = new Map<number, number>();
  let next = from;
  const lane = async () => {
    for (let index = next++; index < to; index = next++) {
      const request = hostileRequest(createChance(SEED, index), sessions);
      const response = await sendRaw(stack.site.origin, request, agent).catch((error: unknown) =>
        String(error),
      );
      const fault = typeof response === 'string' ? response : findFault(request, response);
      if (fault !== null) {
        throw new Error(
          `FUZZ_SEED=${SEED}, request ${index}: ${fault}\n${JSON.stringify(request).slice(0, 2000)}`,
        );
      }
      const { status } = response as RawResponse;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return statuses;
}

async function residentBytes(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]);
}

it(
  `answers ${REQUESTS} bad requests properly, and disturbs nobody`,
  async () => {
    const warmUp = Math.floor(REQUESTS / 2);
    await sendMany(0, warmUp);
    const before = await residentBytes();
    const statuses = await sendMany(warmUp, REQUESTS);
    const after = await residentBytes();

    expect(stack.site.isRunning()).toBe(true);
    expect(await witness.isSignedIn(), 'somebody else is signed in as before').toBe(true);
    expect(after - before, `${before} bytes, then ${after}`).toBeLessThan(150 * MEGABYTE);
    // It got past the gate, and into every kind of answer.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 301, 302, 400, 403, 404, 405]));
    expect(findSecret(stack.site.output())).toBeNull();
  },
  Math.max(300_000, REQUESTS * 15),
);

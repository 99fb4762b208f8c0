/** How soon messages arrive at many open streams, and how much memory each stream takes. */
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { shippedMutation } from '../../tests/support/http/shipped-operations.ts';
import { usageOf } from '../../tests/support/processes/process-usage.ts';
import { startStack } from '../../tests/support/processes/stack.ts';
import { type SiteVisitor, signUpVisitor } from '../../tests/support/sign-in/site-visitor.ts';

const STREAMS = 1000;
const STREAMS_PER_SESSION = 4;
/** The site limits the connections of an address. */
const ADDRESSES = 4;
const MESSAGES = 30;
const PAUSE_MS = 200;

/**
 * Prints the median and the 99th percentile of the time from the response of a mutation to its event, and the memory. The
 * data API is that of the local cloud, which has subscriptions.
 */
export async function measureStreams(nodeOptions: string, stops: (() => Promise<void>)[]): Promise<void> {
  const environment = { RATE_LIMIT_SCALE: '0', LOG_LEVEL: 'error', NODE_OPTIONS: nodeOptions };
  const stack = await startStack({ environment, topology: 'one machine' });
  stops.push(stack.stop);
  const agent = new Agent({ keepAlive: true });
  const arrivals = new Map<string, number[]>();
  const visitors: SiteVisitor[] = [];
  for (let index = 0; index < STREAMS / STREAMS_PER_SESSION; index += 1)
    visitors.push(await signUpVisitor(stack, agent, `visitor-${index}@example.com`));
  const [author] = visitors;
  if (!author) throw new Error('There is no visitor.');
  const before = usageOf(stack.site).megabytes;
  const closes = await Promise.all(
    Array.from({ length: STREAMS }, (_, index) => {
      const visitor = visitors[index % visitors.length] ?? author;
      return openStream(stack.site.origin, visitor, `127.0.0.${2 + (index % ADDRESSES)}`, arrivals);
    }),
  );
  // The subscription of the process starts, and the process comes to rest.
  await pause(3000);
  const kibibytes = ((usageOf(stack.site).megabytes - before) * 1024) / STREAMS;
  const delays: number[] = [];
  for (let sent = 0; sent < MESSAGES; sent += 1) {
    const { body } = await author.request('/api/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(shippedMutation()),
    });
    const respondedAt = performance.now();
    await pause(PAUSE_MS);
    const { id } = JSON.parse(body).data.createMessage;
    // An event may arrive before the response.
    delays.push(...(arrivals.get(id) ?? []).map((at) => Math.max(0, at - respondedAt)));
  }
  await pause(1000);
  for (const close of closes) close();
  agent.destroy();
  if (delays.length < STREAMS * MESSAGES) throw new Error(`Only ${delays.length} events arrived in time.`);
  delays.sort((a, b) => a - b);
  const at = (share: number) => `${delays[Math.floor(delays.length * share)]?.toFixed(0)} ms`;
  process.stdout.write(`
| streams | a message arrives after (median) | 99th percentile | memory of a stream |
|---:|---:|---:|---:|
| ${STREAMS} | ${at(0.5)} | ${at(0.99)} | ${kibibytes.toFixed(0)} KiB |
`);
}

/** Opens a stream from an address, and notes when each message arrives. Returns a function that closes it. */
function openStream(
  origin: string,
  visitor: SiteVisitor,
  localAddress: string,
  arrivals: Map<string, number[]>,
): Promise<() => void> {
  const { host, port } = new URL(origin);
  const headers = { host, cookie: visitor.cookies.header() ?? '' };
  const path = '/api/messages/events';
  return new Promise((resolve, reject) => {
    const request = get(
      { host: '127.0.0.1', port, path, localAddress, headers, agent: false },
      (response) => {
        if (response.statusCode !== 200)
          return reject(new Error(`A stream was refused: ${response.statusCode}.`));
        response.setEncoding('utf8').on('data', (text: string) => {
          const [, id = ''] = /event: created\ndata: \{"id":"([^"]+)"/.exec(text) ?? [];
          const times = arrivals.get(id) ?? [];
          times.push(performance.now());
          arrivals.set(id, times);
        });
        resolve(() => request.destroy());
      },
    );
    request.on('error', reject);
  });
}

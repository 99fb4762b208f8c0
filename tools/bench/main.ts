/**
 * `npm run bench`: how many requests per second the built site handles, beside bare servers of `node:http` in the same run,
 * and its memory after many requests; and how soon messages arrive at open streams (with `streams` only that). Needs `npm run build`. docs/performance.md explains the figures.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { request as sendRequest } from 'undici';
import { shippedQuery } from '../../tests/support/http/shipped-operations.ts';
import { killOnExit, stopChild } from '../../tests/support/processes/child-process.ts';
import { cpuSeconds, SMALL_HEAP, usageOf } from '../../tests/support/processes/process-usage.ts';
import { startStack } from '../../tests/support/processes/stack.ts';
import { signUpVisitor } from '../../tests/support/sign-in/site-visitor.ts';
import { measureStreams } from './streams.ts';

const CONNECTIONS = 16;
/** A round measures all servers one after the other, so that a disturbance affects all of them alike. */
const ROUNDS = 5;
const ROUND_SECONDS = 3;
/** Node compiles what runs often. */
const WARM_UP_SECONDS = 6;
const MEMORY_REQUESTS = 12_000;
const MEMORY_STEPS = 4;
/** The options of the container image, with the heap that Node has on a machine of 512 MB. */
const NODE_OPTIONS = `${SMALL_HEAP} --max-semi-space-size=16`;

type Load = Pick<autocannon.Options, 'url' | 'method' | 'headers' | 'body'>;
type Server = { origin: string; pid: number };
type Contender = { pid: number; load: Load };
/** Requests per second, and the CPU time of the server for each. */
type Measured = { perSecond: number; microseconds: number };

const stops: (() => Promise<void>)[] = [];
try {
  if (!process.argv.includes('streams')) await main();
  await measureStreams(NODE_OPTIONS, stops);
} finally {
  for (const stop of stops.reverse()) await stop();
}

async function main(): Promise<void> {
  const messages = Array.from({ length: 20 }, (_, index) => ({
    id: String(index),
    content: 'A message of some length',
    createdAt: '2026-01-01T00:00:00.000Z',
    mine: index % 4 === 0,
    author: 'k7c4',
  }));
  const data = { listMessages: { items: messages, nextToken: null } };
  const dataApi = await startBareServer('data-api', JSON.stringify({ data }));
  const upstream = `${dataApi.origin}/graphql`;
  const environment = { GRAPHQL_ENDPOINT: upstream, RATE_LIMIT_SCALE: '0', LOG_LEVEL: 'error', NODE_OPTIONS };
  const stack = await startStack({ environment, topology: 'one machine' });
  stops.push(stack.stop);
  const agent = new Agent();
  const { cookies } = await signUpVisitor(stack, agent, 'ada@example.com');
  agent.destroy();

  const { origin } = stack.site;
  const page = { headers: { 'accept-encoding': 'br' } };
  const member = { headers: { ...page.headers, cookie: cookies.header() ?? '' } };
  const operation = {
    method: 'POST' as const,
    headers: { ...member.headers, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ query: shippedQuery.query, operationName: shippedQuery.operationName }),
  };
  const comparisons = {
    'Anonymous page': { path: '/', ...page, bare: 'page' },
    'Page of a member': { path: '/', ...member, bare: 'page' },
    'GraphQL proxy': { path: '/api/graphql', ...operation, bare: 'proxy' },
  } as const;
  const [cpu] = cpus();
  process.stdout.write(`Node ${process.version}, ${availableParallelism()} × ${cpu?.model.trim()}, autocannon with ${CONNECTIONS} connections.
Median (smallest–largest) of ${ROUNDS} rounds of ${ROUND_SECONDS} s.

| | CPU time per request, of a bare server | CPU time | requests per second | bare server |
|---|---:|---:|---:|---:|
`);
  const loads: Load[] = [];
  for (const [name, { path, bare, ...request }] of Object.entries(comparisons)) {
    const bareServer =
      bare === 'proxy'
        ? await startBareServer('proxy', upstream)
        : await startBarePage(origin, path, request);
    const load = { ...request, url: origin + path };
    const row = await compare(
      { pid: stack.site.pids[0] ?? 0, load },
      { pid: bareServer.pid, load: { ...load, url: bareServer.origin + path } },
    );
    process.stdout.write(`| ${[name, ...row].join(' | ')} |\n`);
    loads.push(load);
  }
  process.stdout.write('\n| further requests, a third of each kind | memory of the process |\n|---:|---:|\n');
  for (let step = 1; step <= MEMORY_STEPS; step += 1) {
    for (const load of loads) await send(load, { amount: MEMORY_REQUESTS / loads.length });
    const { megabytes } = usageOf(stack.site);
    process.stdout.write(`| ${step * MEMORY_REQUESTS} | ${megabytes.toFixed(0)} MiB |\n`);
  }
}

/** Measures both servers in turn. Returns the cells of the table. */
async function compare(site: Contender, bare: Contender): Promise<string[]> {
  for (const { load } of [site, bare]) await send(load, { duration: WARM_UP_SECONDS });
  const rounds: { site: Measured; bare: Measured }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ site: await measure(site), bare: await measure(bare) });
  }
  const cell = (of: (round: (typeof rounds)[number]) => number, digits: number, unit: string) =>
    `${spread(rounds.map(of), digits)}${unit}`;
  return [
    cell(({ site, bare }) => site.microseconds / bare.microseconds, 1, ' ×'),
    cell(({ site }) => site.microseconds, 0, ' µs'),
    cell(({ site }) => site.perSecond, 0, ''),
    cell(({ bare }) => bare.perSecond, 0, ''),
  ];
}

async function measure({ pid, load }: Contender): Promise<Measured> {
  const before = cpuSeconds(pid);
  const { count, seconds } = await send(load, { duration: ROUND_SECONDS });
  return { perSecond: count / seconds, microseconds: ((cpuSeconds(pid) - before) / count) * 1e6 };
}

/** Rejects when a request failed: it costs less than one that succeeds. */
async function send(load: Load, limit: { duration: number } | { amount: number }) {
  const result = await autocannon({ ...load, ...limit, connections: CONNECTIONS });
  const failed = result.errors + result.non2xx;
  if (failed > 0) throw new Error(`${failed} requests for ${load.url} failed.`);
  return { count: result.requests.total, seconds: result.duration };
}

/** Starts a bare server that sends the site's response to this request. */
async function startBarePage(origin: string, path: string, request: { headers: Record<string, string> }) {
  const { headers, body } = await sendRequest(origin + path, request);
  const bytes = Buffer.from(await body.arrayBuffer());
  const sent = Object.entries(headers).filter(
    ([name]) => !['connection', 'date', 'keep-alive'].includes(name),
  );
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const file = join(folder, 'page.json');
  writeFileSync(file, JSON.stringify({ head: Object.fromEntries(sent), body: bytes.toString('base64') }));
  const server = await startBareServer('page', file);
  rmSync(folder, { recursive: true });
  return server;
}

/** Starts a server of `bare-servers.mjs`. */
async function startBareServer(kind: 'page' | 'proxy' | 'data-api', argument: string): Promise<Server> {
  const child = fork(new URL('bare-servers.mjs', import.meta.url), [kind, argument], { execArgv: [] });
  killOnExit(child);
  stops.push(() => stopChild(child, 'SIGTERM'));
  const [address] = await once(child, 'message');
  return { origin: `http://127.0.0.1:${address.port}`, pid: child.pid ?? 0 };
}

/** The median, and the smallest and largest value. */
function spread(values: readonly number[], digits: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index]?.toFixed(digits);
  return `${at(Math.floor(sorted.length / 2))} (${at(0)}–${at(sorted.length - 1)})`;
}

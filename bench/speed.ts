/**
 * The figures of the built site beside the least that Node can do for the same work: every ratio is of servers that
 * were measured in turn, in one run, on one machine. Prints one table.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIST_MESSAGES } from '../app/pages/test-message/test-message.graphql.generated.ts';
import { createSigner } from '../app/server/signing/signing.ts';
import { startLocalCloud } from '../local-cloud/start.ts';
import { findOrInstallBrowser } from '../scripts/setup/browser.mjs';
import { freePort } from '../tests/support/processes/site.ts';
import { measureFirstView } from './first-view.ts';
import { load, requestText } from './load.ts';
import { reportOfPeers } from './peers.ts';
import { type Measured, residentMemory, SECRET, startBuiltSite, startScript } from './processes.ts';
import { credentials, measureProxyParts } from './proxy-parts.ts';
import { signUpCookie } from './signed-in-visitor.ts';
import { format, interleave, spread } from './statistics.ts';

const ROUNDS = 7;
const ROUND_MS = 2500;
const CONNECTIONS = 16;
const STARTS = 5;
const CALLS = 400;
/** So long each path is walked before it is measured: by then its code has been compiled. */
const WARM_UP_MS = 4000;
/** Memory is looked at after so many requests, and after each time as many again. */
const MARK_REQUESTS = 50_000;
const MIXED_REQUESTS = Number(process.env.BENCH_REQUESTS ?? 2 * MARK_REQUESTS);

const peers = process.env.PEERS ? reportOfPeers(process.env.PEERS) : null;

const rows: [what: string, figure: string][] = [];
const report = (what: string, figure: string) => {
  rows.push([what, figure]);
  process.stderr.write(`${what}: ${figure}\n`);
};
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const port = await freePort();
const cloud = await startLocalCloud({ siteOrigins: [`http://localhost:${port}`] });
const upstream = await startScript('./upstream.mjs', []);
const endpoint = `http://127.0.0.1:${upstream.port}/graphql`;
const environment = { ...cloud.environment({ client: 'rotating' }), GRAPHQL_ENDPOINT: endpoint };

await measureStart();
const site = await startBuiltSite(port, environment);
const origin = `http://localhost:${port}`;
const host = `localhost:${port}`;
const cookie = await signUpCookie(origin, cloud);
const call = {
  method: 'POST',
  path: '/api/graphql',
  headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
  body: JSON.stringify({ query: LIST_MESSAGES.query, operationName: LIST_MESSAGES.operationName }),
};
await measurePages();
await measureProxy();
await measureBytes();
await measureMemory();
for (const server of [site, upstream]) await server.stop();
await cloud.close();
rmSync(folder, { recursive: true });
print();

/** Requests per second of a server under the same load as every other. */
async function perSecond(server: Measured, ...requests: string[]): Promise<number> {
  const until = { ms: ROUND_MS };
  const result = await load({ port: server.port, requests, connections: CONNECTIONS, until });
  if (result.failed > 0) throw new Error(`${result.failed} requests failed.`);
  return result.perSecond;
}

async function measureStart(): Promise<void> {
  const starts: { ms: number; memory: number }[] = [];
  for (let start = 0; start < STARTS; start++) {
    const started = await startBuiltSite(port, environment);
    starts.push({ ms: started.firstAnswerMs, memory: residentMemory(started.pid) });
    await started.stop();
  }
  report('First answer after the start', format(spread(starts.map(({ ms }) => ms)), 0, ' ms'));
  report('Memory then', format(spread(starts.map(({ memory }) => memory)), 0, ' MiB'));
}

type Coding = 'gzip' | 'br';

/** What is rendered leaves work behind, which would fall into a round of something else: that comes last. */
async function measurePages(): Promise<void> {
  const bare = { gzip: await startBarePage('gzip'), br: await startBarePage('br') };
  for (const coding of ['gzip', 'br'] as const) await measureAnonymous(coding, bare[coding]);
  for (const coding of ['gzip', 'br'] as const) await measureSignedIn(coding, bare[coding]);
  for (const server of [bare.gzip, bare.br]) await server.stop();
}

function pageText(path: string, coding: Coding, headers: Record<string, string> = {}): string {
  return requestText({ path, host, headers: { 'accept-encoding': coding, ...headers } });
}

async function startBarePage(coding: Coding): Promise<Measured> {
  // What is kept is compressed anew in the background; the bare server sends what comes of it.
  await load({ port, requests: [pageText('/', coding)], connections: 1, until: { ms: 1500 } });
  const file = join(folder, `page.${coding}`);
  writeFileSync(file, await bodyOf('/', coding));
  return startScript('./bare-page.mjs', [file, coding]);
}

async function measureAnonymous(coding: Coding, bare: Measured): Promise<void> {
  const text = pageText('/', coding);
  await warmUp(text, site, bare);
  const rounds = await interleave(ROUNDS, {
    page: () => perSecond(site, text),
    bare: () => perSecond(bare, text),
  });
  report(
    `Anonymous page (${coding}), of a bare server’s requests per second`,
    format(spread(rounds.map(({ page, bare }) => page / bare)), 2),
  );
}

async function measureSignedIn(coding: Coding, bare: Measured): Promise<void> {
  const text = pageText('/fr', coding, { cookie });
  await warmUp(text, site);
  const rounds = await interleave(ROUNDS, {
    page: () => perSecond(site, text),
    bare: () => perSecond(bare, pageText('/', coding)),
  });
  report(
    `Signed-in page (${coding}), requests per second`,
    format(spread(rounds.map(({ page }) => page)), 0),
  );
  report('… of a bare server’s', format(spread(rounds.map(({ page, bare }) => page / bare)), 3));
}

async function warmUp(request: string, ...servers: Measured[]): Promise<void> {
  for (const { port } of servers) {
    await load({ port, requests: [request], connections: CONNECTIONS, until: { ms: WARM_UP_MS } });
  }
}

/** A body as it is on the wire. */
function bodyOf(path: string, encoding: string): Promise<Buffer> {
  return answerTo({ path, headers: { 'accept-encoding': encoding } });
}

function answerTo(
  {
    method = 'GET',
    path,
    headers,
    body,
  }: { method?: string; path: string; headers: Record<string, string>; body?: string },
  to = { port, host },
  agent?: Agent,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { port: to.port, hostname: '127.0.0.1', method, path, headers: { ...headers, host: to.host }, agent },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          response.statusCode === 200
            ? resolve(Buffer.concat(chunks))
            : reject(new Error(`${path} answered ${response.statusCode}: ${Buffer.concat(chunks)}`)),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

async function measureProxy(): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const timed = async (action: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await action();
    return performance.now() - startedAt;
  };
  const url = new URL(endpoint);
  const sign = createSigner({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    region: 'us-east-1',
    service: 'appsync',
  });
  const direct = async () => {
    const headers = await sign({ body: call.body, credentials, signingDate: new Date() });
    return answerTo({ ...call, path: url.pathname, headers }, { port: upstream.port, host: url.host }, agent);
  };
  const through = () => answerTo(call, { port, host }, agent);
  for (let warm = 0; warm < 100; warm++) await Promise.all([direct(), through()]);
  const calls = await interleave(CALLS, { direct: () => timed(direct), through: () => timed(through) });
  agent.destroy();
  const [added, alone] = [
    spread(calls.map(({ through }) => through)),
    spread(calls.map(({ direct }) => direct)),
  ];
  report(
    'Proxy: added to a direct signed call, at the median',
    `${(added.median - alone.median).toFixed(2)} ms`,
  );

  const parts = await measureProxyParts(cookie, SECRET);
  for (const [part, figures] of Object.entries(parts)) report(`… ${part}`, format(figures, 0, ' µs'));

  const bare = await startScript('./bare-proxy.mjs', [endpoint]);
  const text = requestText({ ...call, host });
  await warmUp(text, site, bare);
  const rounds = await interleave(ROUNDS, {
    proxy: () => perSecond(site, text),
    bare: () => perSecond(bare, text),
  });
  await bare.stop();
  report(
    'Proxy: of a bare reverse proxy’s requests per second',
    format(spread(rounds.map(({ proxy, bare }) => proxy / bare)), 2),
  );
}

async function measureBytes(): Promise<void> {
  const browser = findOrInstallBrowser();
  if (!browser) return void report('First view of /fr', 'no browser was found');
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  const { view, client } = await measureFirstView(`${origin}/fr`, browser);
  for (const [kind, bytes] of Object.entries(view)) {
    report(`First view of /fr: ${kind.toLowerCase()}`, kilobytes(bytes));
  }
  report('Its whole client, at the first touch', kilobytes(client));
}

/** Every kind of request; most of them, as in life, of visitors who have not signed in. */
async function measureMemory(): Promise<void> {
  const asset = /\/assets\/root-[\w-]+\.css/.exec((await bodyOf('/fr', 'identity')).toString())?.[0] ?? '/';
  const anonymous = ['/', '/fr', '/ar/test-message', '/ja/typography-demo', asset, '/nothing-here'];
  const requests = [
    ...anonymous.map((path) => requestText({ path, host, headers: { 'accept-encoding': 'br' } })),
    requestText({ path: '/de', host, headers: { cookie, 'accept-encoding': 'gzip' } }),
    ...Array.from({ length: 3 }, () => requestText({ ...call, host })),
  ];
  const run = (answers: number) => load({ port, requests, connections: CONNECTIONS, until: { answers } });
  const marks: number[] = [];
  for (let answers = 0; answers < MIXED_REQUESTS; answers += MARK_REQUESTS) {
    await run(MARK_REQUESTS);
    marks.push(residentMemory(site.pid));
  }
  const [first = Number.NaN, ...later] = marks;
  report(`Memory after ${MARK_REQUESTS} mixed requests`, `${first.toFixed(0)} MiB`);
  const ratios = later.map((mebibytes) => mebibytes / first);
  report(`… later, of that (${MIXED_REQUESTS} requests)`, format(spread(ratios), 2));
}

function print(): void {
  const width = Math.max(...rows.map(([what]) => what.length));
  const lines = rows.map(([what, figure]) => `${what.padEnd(width)}  ${figure}\n`);
  const title = `Median (smallest–largest) of ${ROUNDS} interleaved rounds, Node ${process.version}`;
  process.stdout.write(`\n${title}\n\n${lines.join('')}`);
  if (peers) process.stdout.write(`\nPeers, as measured in ${process.env.PEERS}:\n\n${peers}\n`);
}

/** How many requests of anonymous visitors a warm cache answers without the site. */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { locales } from '../../../app/i18n/locales.ts';
import { themes } from '../../../app/theme/theme.ts';
import { createSeededRandom } from '../../../tests/support/fuzzing/seeded-random.ts';
import { pagePaths } from '../../../tests/support/shared-caches/mixed-requests.ts';
import type {
  CacheProcess,
  SiteBehindCache,
} from '../../../tests/support/shared-caches/site-behind-cache.ts';
import { createResponseReader } from '../load/built-in-generator.ts';

const CONNECTIONS = 16;
const codes = locales.map(({ code }) => code);

/**
 * One in 200 visitors arrives at the first page without a cookie, which the site itself answers. All others want any
 * page, in any theme, and prefer any language.
 */
function anonymousRequest(index: number, host: string): Buffer {
  const random = createSeededRandom(2, index);
  const isArrival = random.oneIn(200);
  const path = isArrival ? '/' : random.pick(pagePaths);
  const language = random.pick(codes);
  const lines = [
    `Host: ${host}`,
    `Accept-Language: ${random.pick([language, `${language}-XX,${language};q=0.9,en;q=0.5`])}`,
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Sec-Fetch-Dest: document',
    `Sec-Fetch-Site: ${isArrival ? 'none' : 'same-origin'}`,
    `User-Agent: visitor ${index}`,
  ];
  if (!isArrival && random.oneIn(2)) lines.push(`Cookie: theme=${random.pick(themes)}; guest=${index}`);
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
}

/** Requests every page in every theme and offer once, and then `count` random ones. */
export async function countHits(
  { ports, host, cache }: SiteBehindCache<CacheProcess>,
  count: number,
): Promise<{ requests: number; hits: number; failed: number; seconds: number }> {
  const different = Array.from({ length: 20_000 }, (_, index) => anonymousRequest(index, host));
  await run(different, different.length);
  const startedAt = performance.now();
  const { hits, failed } = await run(different, count);
  return { requests: count, hits, failed, seconds: (performance.now() - startedAt) / 1000 };

  async function run(requests: readonly Buffer[], limit: number) {
    const result = { hits: 0, failed: 0 };
    let sent = 0;
    const drive = () =>
      new Promise<void>((resolve, reject) => {
        const address = { port: ports.cache, host: '127.0.0.1' };
        const socket = cache.certificate
          ? connectTls({ ...address, servername: 'localhost', ca: cache.certificate })
          : connect(address);
        let read = createResponseReader();
        let head = '';
        const send = () => {
          if (sent >= limit) return void socket.end(resolve);
          head = '';
          read = createResponseReader();
          socket.write(requests[sent++ % requests.length] ?? '');
        };
        socket.once(cache.certificate ? 'secureConnect' : 'connect', send);
        socket.on('data', (chunk: Buffer) => {
          if (head.length < 4096) head += chunk.toString('latin1', 0, 4096);
          const status = read(chunk);
          if (status === null) return;
          if (/^cache-status: [^\r]*; hit/im.test(head)) result.hits += 1;
          if (status >= 400) result.failed += 1;
          // nginx ends a connection after a thousand requests.
          if (/^connection: close/im.test(head)) {
            socket.removeAllListeners('close');
            socket.destroy();
            drive().then(resolve, reject);
          } else send();
        });
        socket.once('error', reject);
        socket.once('close', () => reject(new Error('The cache closed a connection')));
      });
    await Promise.all(Array.from({ length: CONNECTIONS }, drive));
    return result;
  }
}

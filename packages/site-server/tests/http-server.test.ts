import { expect, it } from 'vitest';
import { headOf, startConnectionServer } from '../../../tests/support/http/connection-server.ts';
import { parseStatuses } from '../../../tests/support/http/raw-socket.ts';
import { MAX_HEADERS } from '../src/request-filter.ts';

it('responds also to a request with an unknown expectation, which HTTP allows to ignore', async () => {
  const { answerTo } = await startConnectionServer();
  const head = headOf('POST /', 'expect: x', 'connection: close', 'content-length: 2');
  expect(await answerTo(`${head}hi`)).toMatch(/^HTTP\/1\.1 200 .*got hi/s);
});

it('accepts a head of 30 kB, as a long session has', async () => {
  const { answerTo } = await startConnectionServer();
  const head = headOf('GET /', `cookie: ${'a'.repeat(30_000)}`, 'connection: close');
  expect(parseStatuses(await answerTo(head))).toEqual([200]);
});

// threat-model: T-095
it('loses no header of a request that the filter accepts, and shows the filter that there are more', async () => {
  const { answerTo } = await startConnectionServer({
    respond: ({ headers, rawHeaders }, response) =>
      response.end(`last: ${headers['x-last']}, lines: ${rawHeaders.length / 2}`),
  });
  const answerToLines = (count: number) => {
    // With the host.
    const many = Array.from({ length: count - 3 }, () => 'a:');
    return answerTo(headOf('GET /', ...many, 'connection: close', 'x-last: known'));
  };
  expect(await answerToLines(MAX_HEADERS)).toContain('last: known');
  for (const count of [MAX_HEADERS + 1, 4000]) {
    expect(Number(/lines: (\d+)/.exec(await answerToLines(count))?.[1])).toBeGreaterThan(MAX_HEADERS);
  }
});

import { spawnSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import type { LogLevel } from '../../../../app/server/config/env.ts';
import { createLog, writeGathered } from '../../../../app/server/observability/log.ts';
import { noMetrics } from '../../../../app/server/observability/metrics.ts';
import {
  createRequestRecord,
  describeAsked,
  type EndedRequest,
} from '../../../../app/server/observability/request-log.ts';
import { sessionHash } from '../../../../app/server/observability/session-hash.ts';

describe('lines of the log', () => {
  it('are written by one call when they come at about the same time, in their order', async () => {
    const writes: string[] = [];
    const log = createLog('info', writeGathered({ write: (text) => void writes.push(text) }));
    const messages = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    for (const message of messages) log.info(message);
    await vi.waitFor(() => expect(writes).toHaveLength(1));
    const written = writes.join('').trimEnd().split('\n');
    expect(written.map((line) => JSON.parse(line).msg)).toEqual(messages);
  });

  it.each([
    ['ends', 'process.exit(0)'],
    ['ends by an error that nobody caught', 'throw new Error("out of the blue")'],
  ])('are written too when the process %s right after them', (_how, end) => {
    const program = `
      import { createLog } from './app/server/log.server.ts';
      createLog('info').info('last words');
      ${end}`;
    const { stdout } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', program],
      { encoding: 'utf8' },
    );
    expect(JSON.parse(stdout)).toMatchObject({ level: 'info', msg: 'last words' });
  });
});

describe('the line of a request', () => {
  const linesOf = (level: LogLevel, path: string, session: EndedRequest['session'] = null) => {
    const lines: string[] = [];
    const log = createLog(level, { write: (line) => void lines.push(line) });
    const asked = describeAsked(null, 'GET', path);
    createRequestRecord({ log, metrics: noMetrics })({
      requestId: 'r',
      asked,
      status: 404,
      ms: 1.4,
      session,
    });
    return lines.map((line) => JSON.parse(line));
  };

  it.each(['/"},{"level":"fatal', '/\\', '/\n{}\n', '/\u2028\ud800é'])(
    'is one line of JSON for the path %j',
    (path) => {
      expect(linesOf('info', path)).toEqual([
        {
          level: 'info',
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
          requestId: 'r',
          route: null,
          method: 'GET',
          path,
          status: 404,
          ms: 1,
          msg: 'request',
        },
      ]);
    },
  );

  it('says of a session no more than the hash of its id', () => {
    const [line] = linesOf('info', '/', { state: 'signed-in', id: 'id-of-the-session' });
    expect(line).toMatchObject({ session: sessionHash('id-of-the-session'), msg: 'request' });
    expect(JSON.stringify(line)).not.toContain('id-of-the-session');
  });

  it.each([
    ['debug', '/healthz', 1],
    ['info', '/healthz', 0],
    ['info', '/', 1],
    ['warn', '/', 0],
  ] as const)('is for those who log at %s and above: %s', (level, path, lines) => {
    expect(linesOf(level, path)).toHaveLength(lines);
  });
});

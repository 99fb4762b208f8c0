import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createLog, type LogLevel } from '../../../../app/server/observability/log.ts';
import { MAX_LINE_BYTES } from '../../../../app/server/observability/log-fields.ts';
import { noMetrics } from '../../../../app/server/observability/metrics.ts';
import { createRequestLog, type LoggedRequest } from '../../../../app/server/observability/request-log.ts';
import { hostileFields, hostileText } from '../../../support/fuzzing/hostile-log-fields.ts';
import { createSeededRandom } from '../../../support/fuzzing/seeded-random.ts';
import { timesAsLong } from '../../../support/timing/relative-time.ts';

/** Runs a program that uses the log, and returns what it wrote to standard output. */
function outputOf(program: string): string {
  const source = `import { createLog } from './app/server/observability/log.ts';\n${program}`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', source];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
}

describe('the log', () => {
  it('writes lines to standard output in their order', () => {
    const program = `
      const log = createLog('info');
      for (let line = 0; line < 1000; line += 1) log.info('line ' + line);`;
    const written = outputOf(program).trimEnd().split('\n');
    expect(written.map((line) => JSON.parse(line).msg)).toEqual(
      Array.from({ length: 1000 }, (_, line) => `line ${line}`),
    );
  });

  it('writes a line within a second while the process runs', () => {
    const program = `
      createLog('info').info('first');
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1000);`;
    expect(JSON.parse(outputOf(program))).toMatchObject({ level: 'info', msg: 'first' });
  });

  it.each([['process.exit(0)'], ['throw new Error("unexpected")']])(
    'writes the last line when the process ends with %s',
    (end) => {
      const stdout = outputOf(`createLog('info').info('last'); ${end}`);
      expect(JSON.parse(stdout)).toMatchObject({ level: 'info', msg: 'last' });
    },
  );

  it('logs of an error the name, code, message and cause, without words that may be tokens', () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const token = 'eyJhbGciOiJSUzI1NiJ9c2VjcmV0';
    const cause = new TypeError(`unexpected ${token} in JSON`);
    const err = Object.assign(new Error(`bad ${token}`, { cause }), { code: 'EBAD', request: { token } });
    log.error({ err }, 'failed');
    expect(lines.join('')).not.toContain(token);
    expect(JSON.parse(lines.join('')).err).toMatchObject({
      name: 'Error',
      code: 'EBAD',
      message: 'bad […]',
      cause: 'TypeError: unexpected […] in JSON',
    });
  });
});

describe('a log line', () => {
  let line = '';
  const log = createLog('info', {
    write(written) {
      line = written;
    },
  });

  /** Returns the line that the log writes for the fields, and how long it took. */
  const write = (fields: Record<string, unknown>, message = 'failed') => {
    const startedAt = performance.now();
    log.error(fields, message);
    return { line, ms: performance.now() - startedAt };
  };
  const fieldsOf = (fields: Record<string, unknown>, message?: string) =>
    JSON.parse(write(fields, message).line);

  it('has of every text the first 500 characters, and of a stack 4,000', () => {
    const text = 'word '.repeat(10_000);
    const err = Object.assign(new Error(text, { cause: new TypeError(text) }), { name: text, code: text });
    err.stack = text;
    const fields = fieldsOf({ path: text, fields: [text], nested: { text }, err }, text);
    expect([fields.path, fields.msg, fields.fields[0], fields.nested.text]).toEqual(
      Array(4).fill(`${text.slice(0, 500)}…`),
    );
    expect(fields.err.message).toBe(`${text.slice(0, 500)}…`);
    expect(fields.err.cause).toBe(`TypeError: ${text.slice(0, 500)}…`);
    expect(fields.err.stack).toBe(`${text.slice(0, 4000)}…`);
    expect([fields.err.name, fields.err.code]).toEqual(Array(2).fill(`${text.slice(0, 100)}…`));
  });

  it('has no part of a token that is cut', () => {
    const secret = 'abcdefghijkl3456';
    for (let length = 450; length <= 500; length += 1) {
      const message = `${'.'.repeat(length)}${secret.repeat(3)}`;
      const text = JSON.stringify(fieldsOf({ err: new Error(message) }).err.message);
      expect(text).not.toContain('abc');
    }
  });

  it('has no token of a stack, wherever the stack quotes it', () => {
    const err = new Error('failed');
    err.stack =
      'Error: failed\n    at parse (eyJhbGciOiJSUzI1NiJ9c2VjcmV0)\n    at run (build/request-context-DR0cN61L.js:1:2)';
    expect(fieldsOf({ err }).err.stack).toBe(
      'Error: failed\n    at parse ([…])\n    at run (build/request-context-DR0cN61L.js:1:2)',
    );
  });

  it('keeps long words without a digit and short words with one', () => {
    const message = 'ERR_INVALID_ARGUMENT_COMBINATION at 2026-11-22, host-1';
    expect(fieldsOf({ err: new Error(message) }).err.message).toBe(message);
  });

  it('names no value that is neither an error nor a text, a number or a list of them', () => {
    expect(
      fieldsOf({ err: 'text', date: new Date(0), map: new Map([['a', 1]]), big: 1n, no: null, yes: true }),
    ).toMatchObject({ err: { name: 'NonError' }, date: '[…]', map: '[…]', big: '[…]', no: null, yes: true });
  });

  it('describes an error in any field', () => {
    const err = Object.assign(new Error('inner'), { request: 'private' });
    const { reason, all } = fieldsOf({ reason: err, all: [err] });
    expect(reason).toMatchObject({ name: 'Error', message: 'inner' });
    expect(all).toEqual([reason]);
    expect(JSON.stringify(reason)).not.toContain('private');
  });

  it('without a stack describes failures of a service and of a sign-in', () => {
    const err = Object.assign(new Error('no response'), { name: 'UpstreamError' });
    expect(fieldsOf({ err }).err).toEqual({ name: 'UpstreamError', message: 'no response' });
  });

  it('is one line of JSON below its maximum length, whatever is logged', () => {
    for (let index = 0; index < 300; index += 1) {
      const random = createSeededRandom(1, index);
      write(hostileFields(random), hostileText(random));
      expect(Buffer.byteLength(line), `line ${index}`).toBeLessThan(MAX_LINE_BYTES);
      expect(line.indexOf('\n'), `line ${index}`).toBe(line.length - 1);
      expect(JSON.parse(line)).toMatchObject({ level: 'error' });
    }
  });

  it('takes a small multiple of the time of a line with a long ordinary stack, whatever is logged', async () => {
    const err = Object.assign(new Error('failed'), {
      stack: 'at respond (server.ts:10:20)\n    '.repeat(120),
    });
    for (let index = 0; index < 100; index += 1) {
      const random = createSeededRandom(2, index);
      const fields = hostileFields(random);
      const ratio = await timesAsLong(
        async () => write(fields),
        async () => write({ err, path: '/fr' }),
      );
      expect(ratio, `fields ${index}`).toBeLessThan(25);
    }
  });
});

describe('the log line of a request', () => {
  const linesFor = (level: LogLevel, path: string, request: Partial<LoggedRequest> = {}) => {
    const lines: string[] = [];
    const log = createLog(level, { write: (line) => void lines.push(line) });
    createRequestLog({ log, metrics: noMetrics })(
      {
        requestId: 'r',
        method: 'GET',
        path,
        routeId: null,
        sessionHash: null,
        rejection: null,
        startedAt: performance.now(),
        ...request,
      },
      404,
    );
    return lines.map((line) => JSON.parse(line));
  };

  it.each(['/"},{"level":"fatal', '/\\', '/\n{}\n', '/\u2028\ud800é'])(
    'is one line of JSON for the path %j',
    (path) => {
      expect(linesFor('info', path)).toEqual([
        {
          level: 'info',
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
          requestId: 'r',
          route: null,
          method: 'GET',
          path: JSON.parse(JSON.stringify(path)),
          status: 404,
          ms: expect.any(Number),
          msg: 'request',
        },
      ]);
    },
  );

  it('names a session by its hash, and has no member for visitors without one', () => {
    expect(linesFor('info', '/', { sessionHash: 'abc' })).toMatchObject([{ session: 'abc' }]);
    expect(linesFor('info', '/')[0]).not.toHaveProperty('session');
  });

  it('has the code of a rejection, and no member for it when the request was handled', () => {
    expect(linesFor('info', '/', { rejection: 'ForeignOrigin' })).toMatchObject([{ code: 'ForeignOrigin' }]);
    expect(linesFor('info', '/')[0]).not.toHaveProperty('code');
  });

  it('has the first 200 characters of the path', () => {
    expect(linesFor('info', `/${'a'.repeat(500)}`)[0].path).toHaveLength(200);
  });

  it.each([
    ['debug', '/healthz', 1],
    ['info', '/healthz', 0],
    ['info', '/', 1],
    ['warn', '/', 0],
  ] as const)('at level %s is written for %s %i times', (level, path, lines) => {
    expect(linesFor(level, path)).toHaveLength(lines);
  });
});

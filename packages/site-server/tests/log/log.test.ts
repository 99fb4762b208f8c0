import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { noMetrics } from '../../../../app/server/metrics/metrics.ts';
import { hostileFields } from '../../../../tests/support/fuzzing/hostile-log-fields.ts';
import { createSeededRandom } from '../../../../tests/support/fuzzing/seeded-random.ts';
import { rulesAt } from '../../../../tests/support/http/server-rules.ts';
import { timesAsLong } from '../../../../tests/support/timing/relative-time.ts';
import { createLog, type LogLevel } from '../../src/log/log.ts';
import { createRequestLog, type LoggedRequest } from '../../src/log/request-log.ts';

/** Runs a program that uses the log, and returns what it wrote to standard output. */
function outputOf(program: string): string {
  const source = `import { createLog } from './packages/site-server/src/log/log.ts';\n${program}`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', source];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
}

describe('the log', () => {
  it('writes lines to standard output in their order', () => {
    const program = `
      const log = createLog('info');
      for (let line = 0; line < 1000; line += 1) log.info('line ' + line);
      process.exit(0);`;
    const written = outputOf(program).trimEnd().split('\n');
    expect(written.map((line) => JSON.parse(line).msg)).toEqual(
      Array.from({ length: 1000 }, (_, line) => `line ${line}`),
    );
  });

  it('writes what is pending when it ends, to a reader that is slower than the lines', () => {
    const program = `
      import { LogOutput } from './packages/site-server/src/log/log-output.ts';
      const output = new LogOutput();
      const log = createLog('info', output);
      for (let line = 0; line < 3000; line += 1) log.info('line ' + line);
      await output.end();
      process.exit(0);`;
    expect(outputOf(program).split('\n')).toHaveLength(3001);
  });

  it('writes a line within a second while the process runs', () => {
    const program = `
      createLog('info').info('first');
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1000);`;
    expect(JSON.parse(outputOf(program))).toMatchObject({ level: 'info', msg: 'first' });
  });

  it('writes the last line when the process ends with an error', () => {
    const stdout = outputOf(`createLog('info').info('last'); throw new Error('unexpected');`);
    expect(JSON.parse(stdout)).toMatchObject({ level: 'info', msg: 'last' });
  });
});

it('a log line takes a small multiple of the time of a line with a long ordinary stack, whatever is logged', async () => {
  const log = createLog('info', { write() {} });
  const write = async (fields: Record<string, unknown>) => {
    const startedAt = performance.now();
    log.error(fields, 'failed');
    return { ms: performance.now() - startedAt };
  };
  const err = Object.assign(new Error('failed'), {
    stack: 'at respond (server.ts:10:20)\n    '.repeat(120),
  });
  for (let index = 0; index < 100; index += 1) {
    const random = createSeededRandom(2, index);
    const fields = hostileFields(random);
    const ratio = await timesAsLong(
      () => write(fields),
      () => write({ err, path: '/fr' }),
      30,
    );
    // 12 on a quiet machine. 58 to 81 when texts are searched for tokens before they are cut.
    expect(ratio, `fields ${index}`).toBeLessThan(40);
  }
});

describe('the log line of a request', () => {
  const linesFor = (level: LogLevel, path: string, request: Partial<LoggedRequest> = {}) => {
    const lines: string[] = [];
    const log = createLog(level, { write: (line) => void lines.push(line) });
    createRequestLog({ rules: rulesAt('https://site.example'), log, metrics: noMetrics })(
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

  it('is one line of JSON, whatever the path contains', () => {
    const path = '/"},{"level":"fatal\\\n{}\n\u2028\ud800é';
    expect(linesFor('info', path)).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
        requestId: 'r',
        route: null,
        method: 'GET',
        path,
        status: 404,
        ms: expect.any(Number),
        msg: 'request',
      },
    ]);
  });

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

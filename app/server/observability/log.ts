/** The log: one JSON object per line on standard output, and nothing in it that is a secret. */
import pino from 'pino';
import type { LogLevel } from '../config/env.ts';

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  /**
   * Writes a line whose members are JSON already, as in `"status":200,"msg":"request"`: for what is said of every
   * request, in half the time.
   */
  members(level: 'debug' | 'info', members: string): void;
};

const NOWHERE: pino.DestinationStream = { write() {} };

const standardOutput = () => writeGathered(pino.destination({ dest: 1, sync: true }));

/**
 * A log at `level` and above, on standard output unless a destination is given. Errors are reduced to name, code and message, so that no
 * request, response or token that hangs on an error object reaches a line; nor does what a message quotes, if it is
 * long enough to be a token.
 */
export function createLog(
  level: LogLevel,
  destination: pino.DestinationStream = level === 'silent' ? NOWHERE : standardOutput(),
): Log {
  const timestamp = createTimestamp();
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
  };
  const log = pino(options, destination);
  const isWritten = { debug: log.isLevelEnabled('debug'), info: log.isLevelEnabled('info') };
  const start = {
    debug: createTimestamp((time) => `{"level":"debug"${time},`),
    info: createTimestamp((time) => `{"level":"info"${time},`),
  };
  return Object.assign(log, {
    members(at: 'debug' | 'info', members: string) {
      if (isWritten[at]) destination.write(`${start[at]()}${members}}\n`);
    },
  });
}

/** How long a line may wait for others, in milliseconds. */
const GATHERING_MS = 5;

/** So many lines are put together at a time: what they are made of is then still in the processor's cache. */
const LINES_TOGETHER = 16;

/**
 * Writes by one system call what has been logged within a few milliseconds: under load that is hundreds of lines. What
 * the process ends with is written too.
 */
export function writeGathered(
  destination: pino.DestinationStream,
): pino.DestinationStream & { flushSync(): void } {
  let text = '';
  let lines: string[] = [];
  const putTogether = () => {
    text += lines.join('');
    lines = [];
  };
  const flushSync = () => {
    putTogether();
    if (text === '') return;
    const written = text;
    text = '';
    destination.write(written);
  };
  process.on('exit', flushSync);
  return {
    flushSync,
    write(line) {
      if (text === '' && lines.length === 0) setTimeout(flushSync, GATHERING_MS);
      if (lines.push(line) === LINES_TOGETHER) putTogether();
    },
  };
}

/** The time as ISO 8601 has it, to the millisecond, in its place. All lines of a millisecond share what is written once. */
function createTimestamp(inPlace = (time: string) => time): () => string {
  let written = Number.NaN;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== written) {
      written = now;
      text = inPlace(`,"time":"${new Date(now).toISOString()}"`);
    }
    return text;
  };
}

function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: 'NonError' };
  const message = withoutTokens(error.message);
  const described: Record<string, unknown> = { name: error.name, message };
  if ('code' in error && typeof error.code === 'string') described.code = error.code;
  if (error.cause instanceof Error)
    described.cause = `${error.cause.name}: ${withoutTokens(error.cause.message)}`;
  if (error.name !== 'UpstreamError' && error.name !== 'SignInError') {
    described.stack = error.stack?.replace(error.message, message);
  }
  return described;
}

/** Words of 24 characters and more that have a digit in them: tokens, keys, codes. A parser's message may quote one. */
function withoutTokens(text: string): string {
  return text.replace(/(?=[\w-]*\d)[\w-]{24,}/g, '[…]');
}

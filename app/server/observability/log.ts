/** The log: one JSON object per line on standard output, without secrets. */
import pino from 'pino';

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Lines are written together: when this many bytes are waiting, and at the latest after this many milliseconds. */
const BUFFER_BYTES = 8192;
const FLUSH_INTERVAL_MS = 100;

/**
 * Creates a log at `level` and above, on standard output unless a destination is given. Errors are reduced to name,
 * code, message and stack, so that no request, response or token attached to an error object is logged. Words in a
 * message that are long enough to be a token are removed.
 */
export function createLog(
  level: LogLevel,
  destination: pino.DestinationStream = createStandardOutput(level),
): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: createTimestamp(),
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    destination,
  );
}

/** The time as a member of a line, in ISO 8601. Formatting it for every line would take as long as the rest of the line. */
function createTimestamp(): () => string {
  let formattedAt = Number.NaN;
  let member = '';
  return () => {
    const now = Date.now();
    if (now !== formattedAt) {
      formattedAt = now;
      member = `,"time":"${new Date(now).toISOString()}"`;
    }
    return member;
  };
}

/** A silent log opens nothing. What is buffered is written when the process exits. */
function createStandardOutput(level: LogLevel): pino.DestinationStream {
  if (level === 'silent') return { write() {} };
  const output = pino.destination({
    dest: 1,
    sync: true,
    minLength: BUFFER_BYTES,
    periodicFlush: FLUSH_INTERVAL_MS,
  });
  process.on('exit', () => output.flushSync());
  return output;
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

/** Removes words of 24 characters and more with a digit in them: tokens, keys, codes. A parser's message may quote one. */
function withoutTokens(text: string): string {
  return text.replace(/(?=[\w-]*\d)[\w-]{24,}/g, '[…]');
}

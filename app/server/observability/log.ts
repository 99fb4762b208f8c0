/** The log: one JSON object per line on standard output, without secrets. */
import pino from 'pino';
import { boundFields, boundText } from './log-fields.ts';

/** Writes a line. An error is the field `err`. Without a message a line would repeat the message of the error. */
type WriteLine = {
  (fields: Record<string, unknown>, message: string): void;
  (message: string): void;
};

export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error' | 'fatal', WriteLine>>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Lines are written together: when this many bytes are waiting, and at the latest after this many milliseconds. */
const BUFFER_BYTES = 8192;
const FLUSH_INTERVAL_MS = 100;

/**
 * Creates a log at `level` and above, on standard output unless a destination is given. Errors are reduced to name,
 * code, message, cause and stack, so that no request, response or token attached to an error object is logged. Words in
 * these texts that are long enough to be a token are removed. Every text and every line has a maximum length.
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
      formatters: { level: (label) => ({ level: label }), log: boundFields },
      // `boundFields` has described the error. Without a serializer of its own `err` would get pino's.
      serializers: { err: (described: unknown) => described, msg: boundText },
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

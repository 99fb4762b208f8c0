/** The log: one JSON object per line on standard output, without secrets. */
import pino from 'pino';
import { boundFields, boundText } from './log-fields.ts';

/** Writes a line. An error is the field `err`. Without a message a line would repeat the message of the error. */
type WriteLine = {
  (fields: Record<string, unknown>, message: string): void;
  (message: string): void;
};

export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error' | 'fatal', WriteLine>> & {
  /**
   * Writes a line from members that are JSON already, such as `"status":200`, and whose length the caller bounds. It takes
   * a quarter of the time, for the line of every request.
   */
  writeMembers(level: 'debug' | 'info', members: string, message: string): void;
};

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Lines are written together: when this many characters are waiting, and at the latest after this many milliseconds. */
const BUFFER_LENGTH = 8192;
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
  const timestamp = createTimestamp();
  const log = pino(
    {
      level,
      base: null,
      timestamp,
      formatters: { level: (label) => ({ level: label }), log: boundFields },
      // `boundFields` has described the error. Without a serializer of its own `err` would get pino's.
      serializers: { err: (described: unknown) => described, msg: boundText },
    },
    destination,
  );
  const isWritten = { debug: log.isLevelEnabled('debug'), info: log.isLevelEnabled('info') };
  return Object.assign(log, {
    writeMembers(lineLevel: 'debug' | 'info', members: string, message: string) {
      if (!isWritten[lineLevel]) return;
      destination.write(`{"level":"${lineLevel}"${timestamp()},${members},"msg":"${message}"}\n`);
    },
  });
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
  const standardOutput = pino.destination({ dest: 1, sync: true });
  const output = new BufferedOutput(standardOutput);
  process.on('exit', () => {
    output.flush();
    // A pipe that was full has left lines there.
    standardOutput.flushSync();
  });
  return output;
}

/** Joins lines before they are written. The destination has such a buffer too, but copies it for each line. */
class BufferedOutput {
  private lines = '';
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly destination: pino.DestinationStream) {}

  write(line: string): void {
    this.lines += line;
    if (this.lines.length >= BUFFER_LENGTH) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), FLUSH_INTERVAL_MS).unref();
  }

  flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.lines === '') return;
    const lines = this.lines;
    this.lines = '';
    this.destination.write(lines);
  }
}

/** The log: one JSON object per line on standard output, without secrets. */
import type { Log as UpstreamLog } from '@tenfold/upstream';
import pino from 'pino';
import { boundFields, boundText } from './log-fields.ts';
import { LogOutput } from './log-output.ts';

export type Log = UpstreamLog & Readonly<{ fatal: UpstreamLog['error'] }>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/**
 * Creates a log at `level` and above, on standard output unless a destination is given. Errors are reduced to name,
 * code, message, cause and stack, so that no request, response or token attached to an error object is logged. Words in
 * these texts that are long enough to be a token are removed. Every text and every line has a maximum length.
 */
export function createLog(
  level: LogLevel,
  destination: pino.DestinationStream | LogOutput = new LogOutput(),
): Log {
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: boundFields },
      // `boundFields` has described the error. Without a serializer of its own `err` would get pino's.
      serializers: { err: (described: unknown) => described, msg: boundText },
    },
    destination,
  );
  if (destination instanceof LogOutput) {
    destination.onResumed = (dropped) => log.warn({ dropped }, 'log lines were dropped');
  }
  return log;
}

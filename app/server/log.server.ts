import pino from 'pino';

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(bindings: Record<string, unknown>): Log;
};

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/**
 * The log: one JSON object per line on standard output. Errors are reduced to name, code and message, so that no
 * request, response or token that hangs on an error object reaches a line; nor does what a message quotes, if it is
 * long enough to be a token.
 */
export function createLog(level: LogLevel, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
  };
  return destination ? pino(options, destination) : pino(options);
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

/** What a library reports to the app that uses it. */

/** Writes a line. An error is the field `err`. */
type WriteLine = {
  (fields: Record<string, unknown>, message: string): void;
  (message: string): void;
};

/** A log such as pino's. */
export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error', WriteLine>>;

/**
 * Writes warnings and errors to the console. An error is printed with its name, code and message only: its other fields may have personal data.
 */
export const consoleLog: Log = {
  debug() {},
  info() {},
  warn: (fields: Record<string, unknown> | string, message?: unknown) =>
    console.warn(toText(fields, message)),
  error: (fields: Record<string, unknown> | string, message?: unknown) =>
    console.error(toText(fields, message)),
};

function toText(first: Record<string, unknown> | string, message: unknown): string {
  if (typeof first === 'string') return first;
  const { err, ...fields } = first;
  const error = err instanceof Error ? { name: err.name, message: err.message } : {};
  const code = err instanceof Error && 'code' in err ? { code: err.code } : {};
  return `${message} ${JSON.stringify({ ...fields, ...error, ...code })}`;
}

/** Counts what happens to the calls of a service. */
export type UpstreamMetrics = {
  retried(service: string): void;
  circuitChanged(service: string, isOpen: boolean): void;
  /** A call that was rejected because a queue was full. */
  shed(service: string): void;
};

/** Counts nothing. */
export const noMetrics: UpstreamMetrics = { retried() {}, circuitChanged() {}, shed() {} };

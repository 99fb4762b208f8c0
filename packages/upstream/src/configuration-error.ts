import type { Log } from './observer.ts';
import { UpstreamError } from './upstream-error.ts';

/**
 * An upstream works, but rejects a call because this site or the upstream is configured wrongly. Visitors can neither
 * cause nor correct that, so it never ends a session, and responses describe it as a failure of the upstream. `message`
 * says what is wrong, in words of the site: those of the upstream are in the cause. `fix` is an instruction for the
 * operator.
 */
export class ConfigurationError extends UpstreamError {
  constructor(
    service: string,
    code: string,
    message: string,
    readonly fix: string,
    details: UpstreamError['details'] = {},
  ) {
    super(service, code, message, details);
  }
}

/**
 * Logs a failed call. A configuration error is logged at level `error` with what is wrong and its fix, any other failure
 * as a warning with `message`.
 */
export function logUpstreamFailure(
  log: Log,
  err: unknown,
  message: string,
  fields: Record<string, string> = {},
): void {
  if (err instanceof ConfigurationError) {
    log.error({ err, fix: err.fix, ...fields }, `configuration error: ${err.message}`);
  } else {
    log.warn({ err, ...fields }, message);
  }
}

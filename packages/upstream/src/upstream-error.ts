/**
 * A call to an upstream failed: the upstream rejected it, could not be reached, or sent an invalid response. `code` is
 * written to logs and sent in JSON error responses; `message` is for developers and never shown to visitors.
 */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';

  /** `status` is the HTTP status of the upstream's response, absent when there was no response. */
  constructor(
    readonly service: string,
    readonly code: string,
    message: string,
    readonly details: { status?: number; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
  }
}

/**
 * Whether an error is an `UpstreamError`, of this copy of the class or of another one: each installed library contains its
 * own copy, so that `instanceof` is false for the errors of the others.
 */
export function isUpstreamError(error: unknown): error is UpstreamError {
  return (
    error instanceof Error &&
    error.name === 'UpstreamError' &&
    'code' in error &&
    typeof error.code === 'string'
  );
}

const UNAVAILABLE_CODES = new Set(['NetworkError', 'TimeoutError', 'InvalidResponse']);

/** Whether an error means that the upstream does not work, and not that it rejected the call. */
export function isUnavailable({ code, details }: UpstreamError): boolean {
  return UNAVAILABLE_CODES.has(code) || (details.status ?? 0) >= 500;
}

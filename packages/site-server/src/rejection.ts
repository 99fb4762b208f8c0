/** Why a request is rejected. `code` is for the log, the metrics and the JSON; `message` is for developers. */
export type Rejection = {
  status: number;
  code: string;
  message?: string;
  headers?: Record<string, string>;
};

/** Returns the `Retry-After` header, in whole seconds (RFC 9110 section 10.2.3). */
export function retryAfter(retryAfterMs: number): { 'retry-after': string } {
  return { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
}

/** No body of any kind may be larger, unless a page of the site accepts larger ones. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** 413 (RFC 9110 section 15.5.14). */
export function bodyTooLarge(maxBytes: number): Rejection {
  return { status: 413, code: 'BodyTooLarge', message: `The body may have at most ${maxBytes} bytes.` };
}

/** 405 (RFC 9110 section 15.5.6). */
export function wrongMethod(allow: string): Rejection {
  return { status: 405, code: 'MethodNotAllowed', headers: { allow } };
}

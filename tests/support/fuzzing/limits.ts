/** The limits of a request, in characters or bytes. A request beyond one of them is rejected without further work. */
export const limits = {
  path: 1024,
  query: 8704,
  /** Every body except that of an operation. */
  form: 64 * 1024,
  operationBody: 1024 * 1024,
  operationText: 16_384,
} as const;

/** No response has more `Set-Cookie` lines: the site has fewer cookies. */
export const MAX_SET_COOKIE_LINES = 24;

/** No page or error is longer, whatever the request contains. Files may be. */
export const MAX_BODY_BYTES = 300_000;

/** The log lines of one request have fewer bytes together. */
export const MAX_LOG_BYTES = 8192;

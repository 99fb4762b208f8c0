import { MAX_BODY_BYTES as MAX_REQUEST_BYTES } from '../../../packages/site-server/src/rejection.ts';
import { MAX_FORM_BYTES } from '../../../packages/site-server/src/request-body.ts';
import {
  MAX_HEADERS,
  MAX_PARAMETERS,
  MAX_PATH_LENGTH,
  MAX_QUERY_LENGTH,
} from '../../../packages/site-server/src/request-filter.ts';

/**
 * The limits of a request: characters, parameters, bytes or, of its head, lines. A request beyond one of them is rejected without
 * further work.
 */
export const limits = {
  path: MAX_PATH_LENGTH,
  query: MAX_QUERY_LENGTH,
  parameters: MAX_PARAMETERS,
  headers: MAX_HEADERS,
  /** Every body except that of an operation. */
  form: MAX_FORM_BYTES,
  operationBody: MAX_REQUEST_BYTES,
} as const;

/** No response has more `Set-Cookie` lines: the site has fewer cookies. */
export const MAX_SET_COOKIE_LINES = 24;

/** No page or error is longer, whatever the request contains. Files may be. */
export const MAX_BODY_BYTES = 300_000;

/** The log lines of one request have fewer bytes together. */
export const MAX_LOG_BYTES = 8192;

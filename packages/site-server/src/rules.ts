/** What a server takes from its site. */
import type { CookieJar } from './cookie-jar.ts';
import type { HeaderReader, SiteResponse } from './exchange.ts';
import type { Rejection } from './rejection.ts';

/** The rules of a site, which its server applies to every request and response. */
export type ServerRules = {
  /** Scheme, host and port of the site. Requests for another host get 421. */
  appOrigin: string;
  /** Whether a request that is not safe was sent by a page of the site. Otherwise it gets 403. */
  isSameOrigin(headers: HeaderReader): boolean;
  /** Returns the `Location` that a response may have, or null if it may not lead there. */
  location(value: string): string | null;
  /** Creates the empty jar of a response. */
  createCookies(): CookieJar;
  /** Whether a request is too ordinary for the log: its line is written at `debug`. */
  isRoutine?(path: string, status: number): boolean;
  /** The most bytes that the body of any request may have: beyond it 413. By default 1 MiB. */
  maxBodyBytes?: number;
};

/** Returns the response to a rejected request. */
export type Reject = (request: RejectedRequest, rejection: Rejection) => SiteResponse;

/** The part of an `Exchange` that a rejection depends on. The function that rejects sets its code. */
export type RejectedRequest = {
  method?: string;
  path: string;
  headers: HeaderReader;
  requestId: string;
  rejection: string | null;
};

/** What a server counts. */
export type ServerMetrics = {
  /** `route` is the route's id; null for files, health checks and rejections. */
  requestEnded(request: { route: string | null; method: string; status: number; ms: number }): void;
  /** A rejected request or closed connection, by the rejection's code. */
  rejected(code: string): void;
  /** `reason`: the code of the error, or `stalled` when too many lines wait for the reader. */
  logLineDropped(reason: string): void;
};

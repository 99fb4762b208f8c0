/** An HTTP server in front of the steps of a site. */
export type { RequestHandler } from './connection.ts';
export { type Coding, createCodingChoice, encodeInAllCodings } from './content-coding.ts';
export { createRounds } from './event-loop-rounds.ts';
export { EventStreams, isEventStream } from './event-streams.ts';
export {
  CLIENT_CLOSED_REQUEST,
  type Exchange,
  type HeaderReader,
  type SiteResponse,
  type Step,
} from './exchange.ts';
export type { Lifecycle } from './graceful-shutdown.ts';
export { createHealthChecks } from './health.ts';
export { createLog, type Log } from './log/log.ts';
export { LogOutput } from './log/log-output.ts';
export { createRequestLog } from './log/request-log.ts';
export { createPendingLimit } from './pending-requests.ts';
export { Quota } from './quota.ts';
export { MAX_BODY_BYTES, type Rejection, retryAfter, wrongMethod } from './rejection.ts';
export { isRejected, MAX_FORM_BYTES, readForm, readWebBody } from './request-body.ts';
export { createRequestFilter, filterRequest } from './request-filter.ts';
export { createRequestHandler } from './request-handler.ts';
export { createHeads } from './response-head.ts';
export type { Reject, RejectedRequest, ServerMetrics, ServerRules } from './rules.ts';
export { createSiteServer } from './site-server.ts';
export { createStaticFiles } from './static-files.ts';
export { addressBlock, createAddressFinder, parseStatedAddress } from './visitor-address.ts';

/** Calls to a service that fail in a bounded way: deadline, retries, circuit breaker, concurrency limit, and errors. */
export { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
export { type Clock, systemClock } from './clock.ts';
export { ConcurrencyLimit } from './concurrency-limit.ts';
export { ConfigurationError, logUpstreamFailure } from './configuration-error.ts';
export { isTimeout, untilAborted, withDeadline } from './deadline.ts';
export { JoinedBytes, readAtMost } from './joined-bytes.ts';
export { consoleLog, type Log, type UpstreamMetrics } from './observer.ts';
export { isClockSkewError, isTransientError, type RetryOptions } from './retry.ts';
export { createUpstream } from './upstream.ts';
export { createDispatcher } from './upstream-dispatcher.ts';
export { isUnavailable, isUpstreamError, UpstreamError } from './upstream-error.ts';
export { describeUpstreamFailure, type UpstreamFailure } from './upstream-failure.ts';
export { parseAwsError, parseJson } from './upstream-response.ts';

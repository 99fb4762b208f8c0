/**
 * Operations of signed-in visitors, carried out by the data API. The browser's part in it is the operation and its
 * variables; where it goes, with which credentials and how often is decided here.
 */

import type { Env } from '../config/env.ts';
import type { Identity } from '../identity/identity.ts';
import type { Log } from '../observability/log.ts';
import { type Metrics, noMetrics } from '../observability/metrics.ts';
import { createCircuitBreaker } from '../resilience/circuit-breaker.ts';
import type { Clock } from '../resilience/clock.ts';
import { createConcurrencyLimit } from '../resilience/concurrency-limit.ts';
import { type CallSignal, withCallDeadline } from '../resilience/deadline.ts';
import { isClockSkewError, isRetryable, type RetryOptions, withRetries } from '../resilience/retry.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import type { SignedIn } from '../session/session.ts';
import { createSigner } from '../signing/signing.ts';
import { type Answer, cannotHaveRun, createCallDataApi } from './data-api-call.ts';
import type { GraphqlResult } from './graphql-result.ts';
import type { Operation, OperationCall } from './operation.ts';

/** How a call travelled: milliseconds of each leg, over all attempts. */
export type CallTiming = {
  session: number;
  identity: number;
  sign: number;
  upstream: number;
  identityCached: boolean;
  attempts: number;
};

export type CallOptions = {
  /** Whoever waits for the answer. Its abort reaches the upstream, and rejects with its reason. */
  signal: CallSignal;
  requestId: string;
  /** Milliseconds that opening the session took. They count against the deadline, and go into the timing. */
  sessionMs?: number;
};

export type DataApi = {
  /**
   * Carries out one operation. Errors of the operation are part of the result; rejects with `UpstreamError` when there
   * is none after three attempts at most and five seconds. A mutation is tried again only where it cannot have run.
   */
  execute<Data, Variables>(
    session: SignedIn,
    operation: OperationCall<Data, Variables>,
    options: CallOptions,
  ): Promise<{ result: GraphqlResult<Data>; timing: CallTiming }>;
};

/** Leaves half a second of five for everything else. */
const DEADLINE_MS = 4500;
/** Signatures are good for five minutes either way; a clock less wrong is left as it is. */
const SKEW_THAT_MATTERS_MS = 5 * 60 * 1000;

const REFUSED_CREDENTIALS = new Set(['UnrecognizedClientException', 'ExpiredTokenException', 'ExpiredToken']);

type DataApiDeps = {
  env: Pick<Env, 'dataApi'>;
  identity: Pick<Identity, 'credentialsFor' | 'dropCredentials'>;
  clock: Clock;
  log: Log;
  sleep?: RetryOptions['sleep'];
  random?: RetryOptions['random'];
  deadlineMs?: number;
  metrics?: Metrics;
};

const CALLS_AT_ONCE = 128;
const CALLS_WAITING = 2000;

type Attempt = {
  session: SignedIn;
  operation: Operation;
  body: string;
  requestId: string;
  signal: CallSignal;
  timing: CallTiming;
};

/** The data API that `env` names. */
export function createDataApi({ deadlineMs = DEADLINE_MS, ...deps }: DataApiDeps): DataApi {
  const { clock, log, sleep, random, metrics = noMetrics } = deps;
  const breaker = createCircuitBreaker('data-api', clock, log, { metrics });
  const calls = createConcurrencyLimit({
    service: 'data-api',
    atOnce: CALLS_AT_ONCE,
    waiting: CALLS_WAITING,
    metrics,
  });
  const send = createSender(deps);

  return {
    async execute<Data, Variables>(
      session: SignedIn,
      operation: OperationCall<Data, Variables>,
      { signal, requestId, sessionMs = 0 }: CallOptions,
    ) {
      const timing = newTiming(sessionMs);
      const until = clock() + deadlineMs - sessionMs;
      const { query, operationName, variables } = operation;
      const body = JSON.stringify({ query, operationName, variables });
      const mayRetry = retryRule(operation, () => until - clock());
      const onRetry = (err: unknown, attempt: number) => {
        metrics.retried('data-api');
        log.warn({ err, requestId, attempt }, 'data API call retried');
      };
      const result = await withCallDeadline(Math.max(until - clock(), 1), signal, (limit) => {
        const attempt = () => send({ session, operation, body, requestId, signal: limit, timing });
        const options = {
          signal: limit,
          retryable: mayRetry,
          onRetry,
          sleep,
          random,
        };
        return calls.run(limit, () => breaker.run(() => withRetries(attempt, options)));
      });
      // The schema that the types were generated from is the one that the data API answers by.
      return { result: result as GraphqlResult<Data>, timing };
    },
  };
}

/** Sends one attempt; what it learns about the upstream's clock serves all later ones. */
function createSender({ env, identity, clock }: DataApiDeps): (attempt: Attempt) => Promise<GraphqlResult> {
  const { region, authMode } = env.dataApi;
  const url = new URL(env.dataApi.endpoint);
  const call = createCallDataApi(url);
  const upstreamClock = createUpstreamClock(clock);
  const headers = { 'content-type': 'application/json' };
  const sign = createSigner({ method: 'POST', url, headers, region, service: 'appsync' });

  return async ({ session, body, requestId, signal, timing }) => {
    timing.attempts += 1;
    const endLeg = startLegs(timing);
    try {
      const held = authMode === 'iam' ? await identity.credentialsFor(session, signal) : null;
      timing.identityCached = held?.cached ?? true;
      endLeg('identity');
      const authorized: Record<string, string> = held
        ? await sign({ body, credentials: held.credentials, signingDate: new Date(upstreamClock.now()) })
        : { ...headers, authorization: session.tokens.accessToken };
      endLeg('sign');
      authorized.accept = 'application/json';
      authorized['x-request-id'] = requestId;
      const answer = await call({ headers: authorized, body, signal });
      endLeg('upstream');
      upstreamClock.learn(answer);
      if ('result' in answer) return answer.result;
      if (held && REFUSED_CREDENTIALS.has(answer.failure.code)) {
        identity.dropCredentials(session.id, held.credentials);
      }
      throw answer.failure;
    } catch (error) {
      throw signal.aborted ? aborted(signal) : error;
    }
  };
}

/** The upstream's time, as far as its answers tell: ours until one of them is minutes off or refuses it. */
function createUpstreamClock(clock: Clock): { now: Clock; learn(answer: Answer): void } {
  let offset = 0;
  return {
    now: () => clock() + offset,
    learn({ serverTime, ...answer }) {
      if (serverTime === null) return;
      const isRefused = 'failure' in answer && isClockSkewError(answer.failure);
      const skew = Math.abs(serverTime - (clock() + offset));
      if (isRefused || skew >= SKEW_THAT_MATTERS_MS) offset = serverTime - clock();
    },
  };
}

/** Which failures of an operation deserve another attempt. Refused credentials do once: the next ones are new. */
function retryRule({ kind }: Operation, remainingMs: () => number): (error: unknown) => boolean {
  let renewals = 0;
  return (error) => {
    if (!(error instanceof UpstreamError) || (error.details.retryAfterMs ?? 0) >= remainingMs()) return false;
    if (error.service !== 'data-api') return false;
    if (REFUSED_CREDENTIALS.has(error.code)) return renewals++ === 0;
    const unreachable = error.code === 'ConnectError';
    return (unreachable || isRetryable(error)) && (kind === 'query' || cannotHaveRun(error));
  };
}

/** Adds the time since the last leg ended to the leg that ends now. */
function startLegs(timing: CallTiming): (name: 'identity' | 'sign' | 'upstream') => void {
  let since = performance.now();
  return (name) => {
    const now = performance.now();
    timing[name] += now - since;
    since = now;
  };
}

function newTiming(session: number): CallTiming {
  return { session, identity: 0, sign: 0, upstream: 0, identityCached: true, attempts: 0 };
}

/** A deadline is the upstream's failure, a visitor who leaves is not. */
function aborted({ reason }: CallSignal): unknown {
  return reason instanceof Error && reason.name === 'TimeoutError'
    ? new UpstreamError('data-api', 'TimeoutError', 'No answer in time.', { cause: reason })
    : reason;
}

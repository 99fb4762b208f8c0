/**
 * Executes GraphQL operations of signed-in visitors at the data API. The browser controls only the operation and its
 * variables. Destination, credentials and retries are decided here.
 */
import type { Env } from '../config/env.ts';
import type { Identity } from '../identity/identity.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { CallSignal } from '../resilience/call-signal.ts';
import type { Clock } from '../resilience/clock.ts';
import { isTimeout, withDeadline } from '../resilience/deadline.ts';
import { isClockSkewError, isTransientError, type RetryOptions } from '../resilience/retry.ts';
import { createUpstream } from '../resilience/upstream.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import type { SignedIn } from '../session/session.ts';
import { signRequest } from '../signing/signing.ts';
import { type CallTimer, type CallTiming, createCallTimer, type FailedCallTiming } from './call-timing.ts';
import { createDataApiClient, type DataApiResponse, wasNotExecuted } from './data-api-client.ts';
import { type GraphqlResult, PERMISSION_DENIED } from './graphql-result.ts';
import type { Operation, OperationCall } from './operation.ts';

type CallOptions = {
  /** Cancels the call: its connection to the upstream is closed, and `execute` rejects with the signal's reason. */
  signal: CallSignal;
  requestId: string;
  /** How long opening the session took, in milliseconds. Counts against the deadline and is part of the timing. */
  sessionMs?: number;
  /** Whether the request was counted already: the GraphQL proxy counts all of its requests, rejected ones too. */
  isCounted?: boolean;
  /** Called with the timing before `execute` rejects with an `UpstreamError`. */
  onFailure?(timing: FailedCallTiming): void;
};

export type DataApi = {
  /**
   * Executes one operation. Errors of the operation are part of the result. Rejects with `UpstreamError` when there is
   * no result after three attempts or five seconds, and with the code `TooManyRequests` beyond the session's limit of
   * operations. A mutation is retried only if it cannot have been executed.
   */
  execute<Data, Variables>(
    session: SignedIn,
    operation: OperationCall<Data, Variables>,
    options: CallOptions,
  ): Promise<{ result: GraphqlResult<Data>; timing: CallTiming }>;
};

export type DataApiDeps = {
  env: Pick<Env, 'dataApi'>;
  identity: Pick<Identity, 'credentialsFor' | 'dropCredentials'>;
  /** Counts an operation. Resolves to the milliseconds until the session may send the next one, 0 when it may send this. */
  countOperation: (session: SignedIn) => Promise<number>;
  clock: Clock;
  log: Log;
  sleep?: RetryOptions['sleep'];
  random?: RetryOptions['random'];
  deadlineMs?: number;
  queryAttemptMs?: number;
  metrics?: Metrics;
};

/** The response must arrive within five seconds; half a second is left for everything else. */
const DEADLINE_MS = 4500;
/**
 * How long the first attempt of a query may wait for the data API: a slow response is awaited, and after none there is time
 * for a second attempt. A mutation has the whole deadline, because it may have been executed and is not sent again.
 */
const QUERY_ATTEMPT_MS = 3000;
/** AWS accepts signatures whose date is off by at most five minutes. */
const MAX_CLOCK_SKEW_MS = 5 * 60 * 1000;
const LIMIT = { maxConcurrent: 128, maxQueued: 2000 };
/** For one session. A page sends a few calls at once. */
const LIMIT_PER_SESSION = { maxConcurrent: 32, maxQueued: 200 };

const REJECTED_CREDENTIALS = new Set([
  'UnrecognizedClientException',
  'ExpiredTokenException',
  'ExpiredToken',
]);

/** The data API that `env` configures. */
export function createDataApi({
  deadlineMs = DEADLINE_MS,
  queryAttemptMs = QUERY_ATTEMPT_MS,
  ...deps
}: DataApiDeps): DataApi {
  const { clock } = deps;
  const upstream = createUpstream({
    ...deps,
    ...LIMIT,
    service: 'data-api',
    perCaller: LIMIT_PER_SESSION,
  });
  const sendAttempt = createAttemptSender(deps);

  return {
    async execute<Data, Variables>(
      session: SignedIn,
      operation: OperationCall<Data, Variables>,
      { signal: callerSignal, requestId, sessionMs = 0, isCounted = false, onFailure }: CallOptions,
    ) {
      if (!isCounted) await rejectBeyondLimit(session, deps);
      const timer = createCallTimer(sessionMs);
      const deadline = clock() + deadlineMs - sessionMs;
      const { query, operationName, variables } = operation;
      const body = JSON.stringify({ query, operationName, variables });
      const options = {
        isRetryable: createRetryRule(operation, () => deadline - clock()),
        logFields: { requestId },
        caller: session.id,
      };
      const result = await withDeadline(Math.max(deadline - clock(), 1), callerSignal, (signal) => {
        const timeoutMs = operation.kind === 'query' ? queryAttemptMs : deadlineMs;
        const attempt = () => sendAttempt({ session, body, requestId, signal, timeoutMs, timer });
        return upstream.call(attempt, { ...options, signal });
      }).catch((error: unknown) => {
        if (error instanceof UpstreamError) onFailure?.(timer.failed());
        throw error;
      });
      logMissingDirective(result, deps.log, requestId);
      // The types of `Data` are generated from the schema that the data API implements.
      return { result: result as GraphqlResult<Data>, timing: timer.timing };
    },
  };
}

async function rejectBeyondLimit(
  session: SignedIn,
  { countOperation }: Pick<DataApiDeps, 'countOperation'>,
): Promise<void> {
  const retryAfterMs = await countOperation(session);
  if (retryAfterMs === 0) return;
  throw new UpstreamError('data-api', 'TooManyRequests', 'Too many requests: see Retry-After.', {
    retryAfterMs,
  });
}

const DIRECTIVE_FIX =
  'Deploy schema.graphql, in which every field and type has the directive of GRAPHQL_AUTH_MODE.';

/** Logs fields that the data API denies to every caller of the configured authorization mode. */
function logMissingDirective({ errors }: GraphqlResult, log: Log, requestId: string): void {
  const denied = errors.filter(({ errorType }) => errorType === PERMISSION_DENIED);
  if (denied.length === 0) return;
  const fields = denied.map(({ path = [] }) => path.join('.'));
  log.error({ requestId, fields, fix: DIRECTIVE_FIX }, 'configuration error');
}

type Attempt = {
  session: SignedIn;
  body: string;
  requestId: string;
  signal: CallSignal;
  /** How long the data API may take. */
  timeoutMs: number;
  timer: CallTimer;
};

/** A function that signs and sends one request. It corrects the signing time by the upstream's clock. */
function createAttemptSender({ env, identity, clock }: DataApiDeps) {
  const { region, authMode } = env.dataApi;
  const url = new URL(env.dataApi.endpoint);
  const send = createDataApiClient(url);
  const upstreamClock = createUpstreamClock(clock);
  const headers = { 'content-type': 'application/json' };
  const unsigned = { method: 'POST', url, headers, region, service: 'appsync' };

  return async ({ session, body, requestId, signal, timeoutMs, timer }: Attempt): Promise<GraphqlResult> => {
    const { timing } = timer;
    timing.attempts += 1;
    timer.begin('identity');
    try {
      const issued = authMode === 'iam' ? await identity.credentialsFor(session, signal) : null;
      timing.identityCached = issued?.cached ?? true;
      timer.begin('sign');
      const requestHeaders: Record<string, string> = issued
        ? await signRequest({
            ...unsigned,
            body,
            credentials: issued.credentials,
            signingDate: new Date(upstreamClock.now()),
          })
        : { ...headers, authorization: session.tokens.accessToken };
      requestHeaders.accept = 'application/json';
      requestHeaders['x-request-id'] = requestId;
      timer.begin('upstream');
      const response = await withDeadline(timeoutMs, signal, (attemptSignal) =>
        send({ headers: requestHeaders, body, signal: attemptSignal }),
      );
      timer.stop();
      upstreamClock.update(response);
      if ('result' in response) return response.result;
      if (issued && REJECTED_CREDENTIALS.has(response.failure.code)) {
        identity.dropCredentials(session.id, issued.credentials);
      }
      throw response.failure;
    } catch (error) {
      timer.stop();
      throw toAbortError(signal.aborted ? signal.reason : error);
    }
  };
}

/** The upstream's time. It differs from `clock` once a response shows that `clock` is too inaccurate for signatures. */
function createUpstreamClock(clock: Clock): { now: Clock; update(response: DataApiResponse): void } {
  let offset = 0;
  return {
    now: () => clock() + offset,
    update({ serverTime, ...response }) {
      if (serverTime === null) return;
      const isRejected = 'failure' in response && isClockSkewError(response.failure);
      const skew = Math.abs(serverTime - (clock() + offset));
      if (isRejected || skew >= MAX_CLOCK_SKEW_MS) offset = serverTime - clock();
    },
  };
}

/** Decides which errors of one operation are retryable. After rejected credentials, one attempt is made with new ones. */
function createRetryRule({ kind }: Operation, remainingMs: () => number): (error: unknown) => boolean {
  let renewals = 0;
  return (error) => {
    if (!(error instanceof UpstreamError) || (error.details.retryAfterMs ?? 0) >= remainingMs()) return false;
    if (error.service !== 'data-api') return false;
    if (REJECTED_CREDENTIALS.has(error.code)) return renewals++ === 0;
    const isTransient = error.code === 'ConnectError' || isTransientError(error);
    return isTransient && (kind === 'query' || wasNotExecuted(error));
  };
}

/**
 * A timeout counts as a failure of the upstream; any other reason of an abort means that the caller canceled the call, and
 * any other error is what the attempt failed with.
 */
function toAbortError(reason: unknown): unknown {
  return isTimeout(reason)
    ? new UpstreamError('data-api', 'TimeoutError', 'The call timed out.', { cause: reason })
    : reason;
}

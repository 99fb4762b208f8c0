/**
 * Executes GraphQL operations of signed-in visitors at the data API. The browser controls only the operation and its
 * variables. Destination, credentials and retries are decided here.
 */

import { randomUUID } from 'node:crypto';
import {
  type Clock,
  consoleLog,
  createUpstream,
  isClockSkewError,
  isTimeout,
  isTransientError,
  isUpstreamError,
  type Log,
  type RetryOptions,
  systemClock,
  UpstreamError,
  type UpstreamMetrics,
  withDeadline,
} from '#upstream';
import type { IdentityPool } from '../identity/identity-pool.ts';
import type { Caller } from '../settings.ts';
import { signRequest } from '../signing/signing.ts';
import { type CallTimer, type CallTiming, createCallTimer, type FailedCallTiming } from './call-timing.ts';
import { createDataApiClient, type DataApiResponse, wasNotExecuted } from './data-api-client.ts';
import { type GraphqlResult, PERMISSION_DENIED } from './graphql-result.ts';
import type { OperationCall } from './operation.ts';

type CallOptions = {
  /** Cancels the call: its connection to the upstream is closed, and `execute` rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Sent as `x-request-id`, and logged. Default: a random one. */
  requestId?: string | undefined;
  /** How long opening the session took, in milliseconds. Counts against the deadline and is part of the timing. */
  sessionMs?: number;
  /** Called with the timing before `execute` rejects with an `UpstreamError`. */
  onFailure?(timing: FailedCallTiming): void;
};

export type AppSyncClient = {
  /**
   * Executes one operation. Errors of the operation are part of the result. Rejects with `UpstreamError` when there is
   * no result after three attempts or five seconds, and with the code `TooManyRequests` when `countOperation` says
   * so. A mutation is retried only if it cannot have been executed.
   */
  execute<Data, Variables>(
    session: Caller,
    operation: OperationCall<Data, Variables>,
    options?: CallOptions,
  ): Promise<{ result: GraphqlResult<Data>; timing: CallTiming }>;
};

export type AppSyncOptions = {
  /** The GraphQL endpoint of the API. Calls go nowhere else: redirects are not followed. */
  endpoint: string;
  region: string;
  /**
   * Signs calls with the caller's credentials of the identity pool (authorization mode AWS_IAM), or sends the caller's
   * access token (mode AMAZON_COGNITO_USER_POOLS).
   */
  credentials: Pick<IdentityPool, 'credentialsFor' | 'dropCredentials'> | 'access-token';
  /**
   * The error types of the API's own resolvers that a result may contain, with the message that replaces the resolver's.
   * Known without it: `ValidationError`, `Unauthorized`, `NotFound`. All others become `DataApiError`.
   */
  errorTypes?: Readonly<Record<string, string>>;
  /**
   * Whether only some callers may run an operation, such as those of a group. A denial is then the error `Unauthorized` of the
   * result, in both authorization modes. Of another operation it is an error of configuration. Default: none.
   */
  isRestricted?: (operation: Pick<OperationCall, 'query'>) => boolean;
  /**
   * Counts an operation. Resolves to the milliseconds until the session may send the next one, 0 when it may send this.
   * Default: no limit.
   */
  countOperation?: (session: Caller) => Promise<number>;
  clock?: Clock;
  /** Default: warnings and errors go to the console. */
  log?: Log;
  sleep?: RetryOptions['sleep'];
  random?: RetryOptions['random'];
  /** How long a call may take with all attempts, in milliseconds. Default: 4,500. */
  deadlineMs?: number;
  /** How long the API may take for one attempt of a query, in milliseconds. Default: 3,000. */
  queryAttemptMs?: number;
  metrics?: UpstreamMetrics;
};

/** The code of an operation that was not sent, because the session has exceeded its limit of operations. */
export const TOO_MANY_REQUESTS = 'TooManyRequests';

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
/** For one account, however often it is signed in. A page sends a few calls at once. */
const LIMIT_PER_ACCOUNT = { maxConcurrent: 32, maxQueued: 32 };

const REJECTED_CREDENTIALS = new Set([
  'UnrecognizedClientException',
  'ExpiredTokenException',
  'ExpiredToken',
]);

/** A client of one AppSync API, for all requests of a process. Throws a `TypeError` when `endpoint` is not a URL. */
export function createAppSyncClient(options: AppSyncOptions): AppSyncClient {
  const { clock = systemClock, log = consoleLog, countOperation = async () => 0 } = options;
  const { isRestricted = () => false } = options;
  const { deadlineMs = DEADLINE_MS, queryAttemptMs = QUERY_ATTEMPT_MS } = options;
  const upstream = createUpstream({
    ...options,
    clock,
    log,
    ...LIMIT,
    service: 'data-api',
    perCaller: LIMIT_PER_ACCOUNT,
  });
  const sendAttempt = createAttemptSender(options, clock);

  return {
    async execute<Data, Variables>(
      session: Caller,
      operation: OperationCall<Data, Variables>,
      { signal: callerSignal, requestId = randomUUID(), sessionMs = 0, onFailure }: CallOptions = {},
    ) {
      await rejectBeyondLimit(session, countOperation);
      const timer = createCallTimer(sessionMs);
      const deadline = clock() + deadlineMs - sessionMs;
      const { query, operationName, variables } = operation;
      const body = JSON.stringify({ query, operationName, variables });
      const callOptions = {
        isRetryable: createRetryRule(operation, () => deadline - clock()),
        logFields: { requestId },
        caller: session.user.sub,
      };
      const result = await withDeadline(Math.max(deadline - clock(), 1), callerSignal, (signal) => {
        const timeoutMs = operation.kind === 'query' ? queryAttemptMs : deadlineMs;
        const attempt = () => sendAttempt({ session, body, requestId, signal, timeoutMs, timer });
        return upstream.call(attempt, { ...callOptions, signal });
      }).catch((error: unknown) => {
        if (isDenial(error)) {
          if (isRestricted(operation)) return DENIED;
          log.warn(
            { requestId, operation: operationName },
            'the role of the caller does not allow the operation',
          );
        }
        if (isUpstreamError(error)) onFailure?.(timer.failed());
        throw error;
      });
      const isDenied = result.errors.some(({ errorType }) => errorType === PERMISSION_DENIED);
      const shown = isDenied && isRestricted(operation) ? DENIED : result;
      if (shown === DENIED) log.info({ requestId, operation: operationName }, 'operation denied');
      else logMissingDirective(shown, log, requestId);
      // The types of `Data` are generated from the schema that the data API implements.
      return { result: shown as GraphqlResult<Data>, timing: timer.timing };
    },
  };
}

async function rejectBeyondLimit(
  session: Caller,
  countOperation: (session: Caller) => Promise<number>,
): Promise<void> {
  const retryAfterMs = await countOperation(session);
  if (retryAfterMs === 0) return;
  throw new UpstreamError('data-api', TOO_MANY_REQUESTS, 'Too many requests: see Retry-After.', {
    retryAfterMs,
  });
}

/** The result of an operation that the caller may not run. */
const DENIED: GraphqlResult = {
  data: null,
  errors: [{ message: 'Not authorized.', errorType: 'Unauthorized' }],
};

/** Whether the policies of the caller's role deny an operation. */
function isDenial(error: unknown): boolean {
  return isUpstreamError(error) && error.service === 'data-api' && error.code === PERMISSION_DENIED;
}

const DIRECTIVE_FIX =
  'Deploy a schema in which every field and type has the directive of the authorization mode that `credentials` selects.';

/** Logs fields that the data API denies to every caller of the configured authorization mode. */
function logMissingDirective({ errors }: GraphqlResult, log: Log, requestId: string): void {
  const denied = errors.filter(({ errorType }) => errorType === PERMISSION_DENIED);
  if (denied.length === 0) return;
  const fields = denied.map(({ path = [] }) => path.join('.'));
  log.error({ requestId, fields, fix: DIRECTIVE_FIX }, 'configuration error');
}

type Attempt = {
  session: Caller;
  body: string;
  requestId: string;
  signal: AbortSignal;
  /** How long the data API may take. */
  timeoutMs: number;
  timer: CallTimer;
};

/** A function that signs and sends one request. It corrects the signing time by the upstream's clock. */
function createAttemptSender(
  { endpoint, region, credentials, errorTypes = {} }: AppSyncOptions,
  clock: Clock,
) {
  const pool = credentials === 'access-token' ? null : credentials;
  const url = new URL(endpoint);
  const send = createDataApiClient(url, errorTypes);
  const upstreamClock = createUpstreamClock(clock);
  const headers = { 'content-type': 'application/json' };
  const unsigned = { method: 'POST', url, headers, region, service: 'appsync' };

  return async ({ session, body, requestId, signal, timeoutMs, timer }: Attempt): Promise<GraphqlResult> => {
    const { timing } = timer;
    timing.attempts += 1;
    timer.begin('identity');
    try {
      const issued = (await pool?.credentialsFor(session, signal)) ?? null;
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
        pool?.dropCredentials(session.id, issued.credentials);
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
function createRetryRule(
  { kind }: Pick<OperationCall, 'kind'>,
  remainingMs: () => number,
): (error: unknown) => boolean {
  let renewals = 0;
  return (error) => {
    if (!isUpstreamError(error) || (error.details.retryAfterMs ?? 0) >= remainingMs()) return false;
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

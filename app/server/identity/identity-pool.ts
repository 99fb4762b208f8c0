/**
 * The two calls to the identity pool (the "enhanced flow"), through AWS's own client. Neither is signed.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/authentication-flow.html
 */
import type { CognitoIdentityClient } from '@aws-sdk/client-cognito-identity';
import { z } from 'zod';
import type { Env } from '../config/env.ts';
import type { Log } from '../observability/log.ts';
import { type Metrics, noMetrics } from '../observability/metrics.ts';
import { createCircuitBreaker } from '../resilience/circuit-breaker.ts';
import type { Clock } from '../resilience/clock.ts';
import { createConcurrencyLimit } from '../resilience/concurrency-limit.ts';
import { type RetryOptions, withRetries } from '../resilience/retry.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import type { AwsCredentials } from '../signing/signing.ts';

/** Provider to token; null for a guest. */
export type Logins = Record<string, string> | null;

export type IssuedCredentials = {
  /** Not always the one that was asked for: an identity that was linked to another answers as that one. */
  identityId: string;
  credentials: AwsCredentials;
  /** Milliseconds since the epoch, by AWS's clock. */
  expiresAt: number;
};

/** Both reject with an `UpstreamError` of the service `identity-pool`, after three attempts at most. */
export type IdentityPool = {
  /** The identity of a login, always the same one; for a guest a new one at each call. */
  getId(logins: Logins, signal: AbortSignal): Promise<string>;
  /** Credentials of an identity. Logins that it does not have yet are linked to it. */
  getCredentials(identityId: string, logins: Logins, signal: AbortSignal): Promise<IssuedCredentials>;
};

type IdentityPoolDeps = {
  env: Pick<Env, 'identityPool'>;
  clock: Clock;
  log: Log;
  sleep?: RetryOptions['sleep'];
  metrics?: Metrics;
};

const CALLS_AT_ONCE = 50;
const CALLS_WAITING = 2000;

/** A client of the identity pool that `env` names. It loads AWS's package at the first call. */
export function createIdentityPool(deps: IdentityPoolDeps): IdentityPool {
  const { env, clock, log, sleep, metrics = noMetrics } = deps;
  const { id: IdentityPoolId, region, endpoint } = env.identityPool;
  const breaker = createCircuitBreaker('identity-pool', clock, log, { metrics });
  const limit = createConcurrencyLimit({
    service: 'identity-pool',
    atOnce: CALLS_AT_ONCE,
    waiting: CALLS_WAITING,
    metrics,
  });
  let loading: ReturnType<typeof loadClient> | undefined;

  const call = <T>(operation: string, signal: AbortSignal, attempt: () => Promise<T>): Promise<T> => {
    const attemptOrFail = () =>
      attempt().catch((error: unknown) => {
        throw toUpstreamError(error, signal);
      });
    const onRetry = (err: unknown, count: number) => {
      metrics.retried('identity-pool');
      log.warn({ err, operation, attempt: count }, 'identity pool retried');
    };
    const options = { signal, onRetry, ...(sleep ? { sleep } : {}) };
    return limit.run(signal, () => breaker.run(() => withRetries(attemptOrFail, options)));
  };

  const open = () => {
    loading ??= loadClient(region, endpoint);
    return loading;
  };

  return {
    async getId(logins, abortSignal) {
      const { client, GetIdCommand } = await open();
      const input = { IdentityPoolId, ...(logins ? { Logins: logins } : {}) };
      const { IdentityId } = await call('GetId', abortSignal, () =>
        client.send(new GetIdCommand(input), { abortSignal }),
      );
      if (IdentityId) return IdentityId;
      throw failure('GetIdResponseException', 'Received undefined response from getId operation');
    },

    async getCredentials(identityId, logins, abortSignal) {
      const { client, GetCredentialsForIdentityCommand } = await open();
      const input = { IdentityId: identityId, ...(logins ? { Logins: logins } : {}) };
      const answer = await call('GetCredentialsForIdentity', abortSignal, () =>
        client.send(new GetCredentialsForIdentityCommand(input), { abortSignal }),
      );
      const { AccessKeyId, SecretKey, SessionToken, Expiration } = answer.Credentials ?? {};
      if (!AccessKeyId || !SecretKey) {
        throw failure(
          'CredentialsException',
          'Cognito did not respond with either Credentials, AccessKeyId or SecretKey.',
        );
      }
      return {
        identityId: answer.IdentityId ?? identityId,
        credentials: {
          accessKeyId: AccessKeyId,
          secretAccessKey: SecretKey,
          ...(SessionToken ? { sessionToken: SessionToken } : {}),
        },
        expiresAt: Expiration?.getTime() ?? 0,
      };
    },
  };
}

type Loaded = typeof import('@aws-sdk/client-cognito-identity') & { client: CognitoIdentityClient };

/** Its own retries are off: ours are on the schedule of every other call. */
async function loadClient(region: string, endpoint: string | null): Promise<Loaded> {
  const sdk = await import('@aws-sdk/client-cognito-identity');
  const client = new sdk.CognitoIdentityClient({
    region,
    ...(endpoint ? { endpoint } : {}),
    maxAttempts: 1,
    retryMode: 'standard',
    defaultsMode: 'standard',
    requestHandler: { connectionTimeout: 2000 },
  });
  return { ...sdk, client };
}

const NETWORK_ERRORS = /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|EPIPE|ERR_TLS|CERT_)/;

/**
 * The client's errors carry the service's code as their name, and the status beside it. Throws the signal's reason
 * when it was the caller who gave up.
 */
function toUpstreamError(error: unknown, signal: AbortSignal): UpstreamError {
  if (error instanceof UpstreamError) return error;
  if (signal.aborted && !isTimeout(signal.reason)) throw signal.reason;
  if (signal.aborted) return failure('TimeoutError', 'No answer in time.', { cause: error });
  if (!(error instanceof Error)) return failure('Unknown', 'An unknown error has occurred.');
  // Ahead of the name: the client calls a reset connection a TimeoutError.
  if ('code' in error && typeof error.code === 'string' && NETWORK_ERRORS.test(error.code)) {
    return failure('NetworkError', 'A network error has occurred.', { cause: error });
  }
  if (isTimeout(error)) return failure('TimeoutError', 'No answer in time.', { cause: error });
  const status = withStatus.safeParse(error).data?.$metadata.httpStatusCode;
  if (error instanceof SyntaxError || status === undefined) {
    return failure('InvalidResponse', 'The answer is not what the service sends.', {
      ...(status === undefined ? {} : { status }),
    });
  }
  return failure(error.name, error.message, { status });
}

const withStatus = z.object({ $metadata: z.object({ httpStatusCode: z.number() }) });

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function failure(code: string, message: string, details?: UpstreamError['details']): UpstreamError {
  return new UpstreamError('identity-pool', code, message, details);
}

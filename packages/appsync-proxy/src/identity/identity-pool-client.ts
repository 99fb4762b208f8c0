/**
 * The client of the identity pool, for the two unsigned calls of the enhanced authentication flow. It uses the AWS SDK:
 * https://docs.aws.amazon.com/cognito/latest/developerguide/authentication-flow.html
 */
import type {
  CognitoIdentityClient,
  GetCredentialsForIdentityCommandOutput,
} from '@aws-sdk/client-cognito-identity';
import { z } from 'zod';
import {
  type Clock,
  ConfigurationError,
  consoleLog,
  createDispatcher,
  createUpstream,
  isTimeout,
  type Log,
  type RetryOptions,
  systemClock,
  UpstreamError,
  type UpstreamMetrics,
} from '#upstream';
import type { AwsCredentials } from '../signing/signing.ts';
import { createRequestHandler } from './sdk-request-handler.ts';

/** ID tokens by provider name; null for a guest. */
type Logins = Record<string, string> | null;

export type IssuedCredentials = {
  /** Differs from the requested identity when that was linked to another one. */
  identityId: string;
  credentials: AwsCredentials;
  /** Milliseconds since the epoch, by the clock of AWS. */
  expiresAt: number;
};

/** Both methods reject with an `UpstreamError` of the service `identity-pool`, after at most three attempts. */
export type IdentityPoolClient = {
  /** The identity for the logins (always the same one), or a new guest identity. */
  getId(logins: Logins, signal: AbortSignal): Promise<string>;
  /** Credentials for an identity. The identity pool links new logins to the identity. */
  getCredentials(identityId: string, logins: Logins, signal: AbortSignal): Promise<IssuedCredentials>;
};

export type IdentityPoolClientOptions = {
  /** The id of the identity pool, such as `us-east-1:…`. */
  id: string;
  region: string;
  /** Default: the AWS SDK's. */
  endpoint?: string | null;
  clock?: Clock;
  /** Default: warnings and errors go to the console. */
  log?: Log;
  sleep?: RetryOptions['sleep'];
  metrics?: UpstreamMetrics;
};

const MAX_CONCURRENT = 50;
const MAX_QUEUED = 2000;
const CONNECT_TIMEOUT_MS = 2000;

/** A client of an identity pool. It imports the AWS SDK at the first call. */
export function createIdentityPoolClient(options: IdentityPoolClientOptions): IdentityPoolClient {
  const { id: IdentityPoolId, region, endpoint = null } = options;
  const call = createCall(options);
  let sdkLoading: ReturnType<typeof loadSdk> | undefined;
  const getSdk = () => {
    sdkLoading ??= loadSdk(region, endpoint);
    return sdkLoading;
  };

  return {
    async getId(logins, signal) {
      const { client, GetIdCommand } = await getSdk();
      const command = new GetIdCommand({ IdentityPoolId, ...loginsInput(logins) });
      const { IdentityId } = await call('GetId', signal, () => client.send(command, { abortSignal: signal }));
      if (IdentityId) return IdentityId;
      throw failure('GetIdResponseException', 'Received undefined response from getId operation');
    },

    async getCredentials(IdentityId, logins, signal) {
      const { client, GetCredentialsForIdentityCommand } = await getSdk();
      const command = new GetCredentialsForIdentityCommand({ IdentityId, ...loginsInput(logins) });
      const response = await call('GetCredentialsForIdentity', signal, () =>
        client.send(command, { abortSignal: signal }),
      );
      return toIssuedCredentials(response, IdentityId);
    },
  };
}

/** Creates the function that makes a call with retries and converts the errors of the SDK. */
function createCall({ clock = systemClock, log = consoleLog, sleep, metrics }: IdentityPoolClientOptions) {
  const upstream = createUpstream({
    service: 'identity-pool',
    maxConcurrent: MAX_CONCURRENT,
    maxQueued: MAX_QUEUED,
    clock,
    log,
    sleep,
    metrics,
  });
  return <T>(operation: string, signal: AbortSignal, send: () => Promise<T>): Promise<T> => {
    const attempt = () =>
      send().catch((error: unknown) => {
        throw toUpstreamError(error, signal);
      });
    return upstream.call(attempt, { signal, logFields: { operation } });
  };
}

function toIssuedCredentials(
  { Credentials = {}, IdentityId }: GetCredentialsForIdentityCommandOutput,
  requestedId: string,
): IssuedCredentials {
  const { AccessKeyId, SecretKey, SessionToken, Expiration } = Credentials;
  if (!AccessKeyId || !SecretKey) {
    throw failure(
      'CredentialsException',
      'Cognito did not respond with either Credentials, AccessKeyId or SecretKey.',
    );
  }
  return {
    identityId: IdentityId ?? requestedId,
    credentials: {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretKey,
      ...(SessionToken ? { sessionToken: SessionToken } : {}),
    },
    expiresAt: Expiration?.getTime() ?? 0,
  };
}

/** The name of a user pool in `Logins`: its issuer without the scheme (AWS, `GetId`). */
export function providerNameOf(issuer: string): string {
  return issuer.replace(/^https?:\/\//, '');
}

function loginsInput(logins: Logins): { Logins?: Record<string, string> } {
  return logins ? { Logins: logins } : {};
}

type Sdk = typeof import('@aws-sdk/client-cognito-identity') & { client: CognitoIdentityClient };

/** The SDK's own retries are off, because `createUpstream` retries. */
async function loadSdk(region: string, endpoint: string | null): Promise<Sdk> {
  const sdk = await import('@aws-sdk/client-cognito-identity');
  const client = new sdk.CognitoIdentityClient({
    region,
    ...(endpoint ? { endpoint } : {}),
    maxAttempts: 1,
    retryMode: 'standard',
    defaultsMode: 'standard',
    requestHandler: createRequestHandler(createDispatcher({ connect: { timeout: CONNECT_TIMEOUT_MS } })),
  });
  return { ...sdk, client };
}

/** The code for an identity pool without guests. */
export const GUESTS_NOT_ALLOWED = 'GuestsNotAllowed';

/** The identity pool's messages for a configuration that it cannot work with, and what the operator can do, in names of options. */
const CONFIGURATION_PROBLEMS: { message: RegExp; problem: string; fix: string }[] = [
  {
    message: /^Unauthenticated access is not supported/,
    problem: 'the identity pool has no guests',
    fix: 'Do not call `createGuest`, or enable guest access in the identity pool.',
  },
  {
    message:
      /^Token is not from a supported provider|Incorrect token audience|Issuer doesn't match providerName/,
    problem: 'the identity pool does not accept tokens of the app client',
    fix: 'Add the user pool with its app client to the identity pool, or correct `issuer`.',
  },
  {
    message: /^IdentityPool '.*' not found/,
    problem: 'the identity pool does not exist',
    fix: 'Set `id` to an identity pool of this account and region.',
  },
  {
    message: /^Invalid identity pool configuration/,
    problem: 'the roles of the identity pool do not trust it',
    fix: 'Correct the roles of the identity pool: their trust policies must name this identity pool.',
  },
];

const NETWORK_ERRORS = /^(UND_ERR|ECONN|ENOTFOUND|EAI_|EHOST|ENET|EPIPE|ERR_TLS|CERT_)/;

const errorWithStatus = z.object({ $metadata: z.object({ httpStatusCode: z.number() }) });

/** Converts an error of the SDK. Throws the reason of `signal` when the caller canceled the call. */
export function toUpstreamError(error: unknown, signal: AbortSignal): UpstreamError {
  if (signal.aborted && !isTimeout(signal.reason)) throw signal.reason;
  if (signal.aborted) return failure('TimeoutError', 'The call timed out.', { cause: error });
  if (!(error instanceof Error)) return failure('Unknown', 'An unknown error has occurred.');
  // Checked before the name, because the SDK reports a reset connection as a TimeoutError.
  if ('code' in error && NETWORK_ERRORS.test(String(error.code))) {
    return failure('NetworkError', 'A network error has occurred.', { cause: error });
  }
  if (isTimeout(error)) return failure('TimeoutError', 'The call timed out.', { cause: error });
  const status = errorWithStatus.safeParse(error).data?.$metadata.httpStatusCode;
  if (error instanceof SyntaxError || status === undefined) {
    return failure('InvalidResponse', 'The response is invalid.', {
      ...(status === undefined ? {} : { status }),
    });
  }
  const known = CONFIGURATION_PROBLEMS.find(({ message }) => message.test(error.message));
  if (!known) return failure(error.name, error.message, { status });
  const code = error.message.startsWith('Unauthenticated') ? GUESTS_NOT_ALLOWED : error.name;
  return new ConfigurationError('identity-pool', code, known.problem, known.fix, { status, cause: error });
}

function failure(code: string, message: string, details?: UpstreamError['details']): UpstreamError {
  return new UpstreamError('identity-pool', code, message, details);
}

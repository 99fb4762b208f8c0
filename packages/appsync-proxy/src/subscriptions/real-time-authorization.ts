/** How a real-time connection is authorized in the name of a caller. */
import { z } from 'zod';
import { parseJson } from '#upstream';
import type { IdentityPool } from '../identity/identity-pool.ts';
import type { Caller } from '../settings.ts';
import { signRequest } from '../signing/signing.ts';

/** Returns the authorization of a request with this body, at the endpoint with `path` appended. */
export type Authorize = (path: '' | '/connect', body: string) => Promise<Record<string, string>>;

/** What a connection borrows from a caller. */
export type Loan = {
  authorize: Authorize;
  /** Identifies the credentials. */
  key: string;
  /** When another loan must be taken, in milliseconds by this machine's clock. They are valid for another minute. */
  renewAt: number;
  /** AppSync has refused the credentials. */
  onRefused(): void;
};

/** Borrows from a caller. Rejects when the caller has nothing that is valid. */
export type Borrow = (caller: Caller, signal: AbortSignal) => Promise<Loan>;

type Options = {
  endpoint: string;
  region: string;
  credentials: Pick<IdentityPool, 'credentialsFor' | 'dropCredentials'> | 'access-token';
  clock: () => number;
};

/** The time that a request which starts now may still need a token. */
const EXPIRY_MARGIN_MS = 60 * 1000;

const SIGNED_HEADERS = {
  accept: 'application/json, text/javascript',
  'content-encoding': 'amz-1.0',
  'content-type': 'application/json; charset=UTF-8',
};

export function createBorrow({ endpoint, region, credentials: pool, clock }: Options): Borrow {
  const { host } = new URL(endpoint);
  if (pool === 'access-token') {
    return async (caller) => ({
      authorize: async () => ({ host, Authorization: caller.tokens.accessToken }),
      key: caller.tokens.accessToken,
      renewAt: tokensExpireAt(caller) - EXPIRY_MARGIN_MS,
      onRefused() {},
    });
  }
  return async (caller, signal) => {
    const { credentials, validUntil } = await pool.credentialsFor(caller, signal);
    return {
      authorize: (path, body) =>
        signRequest({
          method: 'POST',
          url: new URL(endpoint + path),
          headers: SIGNED_HEADERS,
          body,
          region,
          service: 'appsync',
          credentials,
          signingDate: new Date(clock() + (caller.tokens.clockDrift ?? 0)),
        }),
      key: credentials.accessKeyId,
      renewAt: validUntil,
      onRefused: () => pool.dropCredentials(caller.id, credentials),
    };
  };
}

const expClaim = z.object({ exp: z.number() });

/** When the first of a caller's tokens expires, in milliseconds by this machine's clock. */
export function tokensExpireAt({ tokens: { accessToken, idToken, clockDrift = 0 } }: Caller): number {
  return Math.min(expiryOf(accessToken), expiryOf(idToken ?? accessToken)) - clockDrift;
}

/** The `exp` claim of a token in milliseconds. It is not verified: AppSync does that. 0 when there is none. */
function expiryOf(token: string): number {
  const [, payload = ''] = token.split('.');
  const claims = expClaim.safeParse(parseJson(Buffer.from(payload, 'base64url').toString()));
  return (claims.data?.exp ?? 0) * 1000;
}

const APPSYNC_HOST = /^([\w-]+)\.appsync-api\.(.+)$/;

/**
 * The address of the real-time endpoint. A custom domain has it below its GraphQL endpoint, and so does the local cloud.
 * https://docs.aws.amazon.com/appsync/latest/devguide/real-time-websocket-client.html#handshake-details-to-establish-the-websocket-connection
 */
export function realTimeUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (APPSYNC_HOST.test(url.host)) url.host = url.host.replace(APPSYNC_HOST, '$1.appsync-realtime-api.$2');
  else url.pathname = `${url.pathname.replace(/\/$/, '')}/realtime`;
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:';
  return url.href;
}

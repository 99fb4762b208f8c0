import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Clock, parseJson, UpstreamError } from '#upstream';
import type { Settings } from '../settings.ts';
import { clientFormHeaders, post } from './user-pool-request.ts';

/** How long an accepted client is not checked again. A rejected one may be corrected at any time. */
const ACCEPTED_MS = 60_000;

/** The OAuth errors about the client itself (RFC 6749 section 5.2). */
const CLIENT_ERRORS = ['invalid_client', 'unauthorized_client'];

const oauthError = z.object({ error: z.string() });

/** Checks whether the user pool accepts the app client's id and secret. */
export class ClientCheck {
  /** When the user pool last accepted the client, in milliseconds. */
  #acceptedAt = Number.NEGATIVE_INFINITY;
  #inProgress: Promise<boolean> | null = null;

  constructor(private readonly deps: { env: Pick<Settings, 'userPool'>; clock: Clock }) {}

  /**
   * Sends an invalid refresh token to the token endpoint, which checks the client first and responds with
   * `invalid_client` or `invalid_grant` (AWS, "Token endpoint"). Concurrent calls share one request. Rejects with an
   * `UpstreamError` when there is no response.
   */
  async isAccepted(signal: AbortSignal): Promise<boolean> {
    if (this.deps.clock() - this.#acceptedAt < ACCEPTED_MS) return true;
    this.#inProgress ??= this.#check(signal);
    return this.#inProgress;
  }

  async #check(signal: AbortSignal): Promise<boolean> {
    const { env, clock } = this.deps;
    try {
      const isAccepted = await sendInvalidRefreshToken(env.userPool, signal);
      if (isAccepted) this.#acceptedAt = clock();
      return isAccepted;
    } finally {
      this.#inProgress = null;
    }
  }
}

/** Returns whether the rejection of the token concerns something other than the client. */
async function sendInvalidRefreshToken(
  { domain, clientId, clientSecret }: Settings['userPool'],
  signal: AbortSignal,
): Promise<boolean> {
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: randomUUID(),
  });
  const headers = clientFormHeaders(clientId, clientSecret);
  const response = await post('hosted-login', `${domain}/oauth2/token`, form.toString(), signal, headers);
  const { error } = oauthError.safeParse(parseJson(response.text)).data ?? {};
  const { status } = response;
  if (error !== undefined && status >= 400 && status < 500) return !CLIENT_ERRORS.includes(error);
  throw new UpstreamError('hosted-login', 'InvalidResponse', 'The app client could not be checked.', {
    status,
  });
}

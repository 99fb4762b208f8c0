/** A site's OAuth requests to the local cloud, sent directly. */
import { createHash, randomBytes } from 'node:crypto';
import type { ClientKind, LocalCloud } from '@tenfold/local-cloud';

export const SITE_ORIGIN = 'http://localhost:3000';
export const CALLBACK_URL = `${SITE_ORIGIN}/auth/callback`;

type TokenResponse = {
  status: number;
  body: {
    id_token?: string;
    access_token?: string;
    refresh_token?: string;
    error?: string;
    expires_in?: number;
  };
};

export type OAuthClient = {
  id: string;
  secret: string | null;
  /** Returns the URL of an authorization request. A parameter set to null is left out. */
  authorizeUrl(changed?: Record<string, string | null>): string;
  /** Sends a form to the token endpoint, with HTTP Basic credentials or with the id of the public client. */
  token(form: Record<string, string>): Promise<TokenResponse>;
  /** Exchanges the code in the URL of a callback for tokens. `changed` replaces fields of the form. */
  redeem(callback: URL, changed?: Record<string, string>): Promise<TokenResponse>;
  refresh(refreshToken: string): Promise<TokenResponse>;
  /** Returns the status of the revocation. */
  revoke(token: string): Promise<number>;
};

/** Creates a client with a PKCE code verifier of its own. */
export function createOAuthClient(cloud: LocalCloud, kind: ClientKind = 'rotating'): OAuthClient {
  const environment = cloud.environment({ client: kind, appOrigin: SITE_ORIGIN });
  const id = environment.COGNITO_CLIENT_ID ?? '';
  const secret = environment.COGNITO_CLIENT_SECRET ?? null;
  const codeVerifier = randomBytes(32).toString('base64url');

  function post(path: string, form: Record<string, string>): Promise<Response> {
    const credentials = Buffer.from(`${id}:${secret}`).toString('base64');
    return fetch(`${cloud.origin}${path}`, {
      method: 'POST',
      headers: secret === null ? {} : { authorization: `Basic ${credentials}` },
      body: new URLSearchParams(secret === null ? { client_id: id, ...form } : form),
    });
  }

  async function token(form: Record<string, string>): Promise<TokenResponse> {
    const response = await post('/oauth2/token', form);
    return { status: response.status, body: await response.json() };
  }

  return {
    id,
    secret,
    authorizeUrl(changed = {}) {
      const params = {
        response_type: 'code',
        client_id: id,
        redirect_uri: CALLBACK_URL,
        scope: 'openid email profile',
        state: 'the-state',
        nonce: 'a-nonce-of-32-octets-in-base64url-as-sites-send',
        code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...changed,
      };
      const given = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== null);
      return `${cloud.origin}/oauth2/authorize?${new URLSearchParams(given)}`;
    },
    token,
    redeem: (callback, changed = {}) =>
      token({
        grant_type: 'authorization_code',
        code: callback.searchParams.get('code') ?? '',
        redirect_uri: CALLBACK_URL,
        code_verifier: codeVerifier,
        ...changed,
      }),
    refresh: (refreshToken) => token({ grant_type: 'refresh_token', refresh_token: refreshToken }),
    revoke: async (refreshToken) => (await post('/oauth2/revoke', { token: refreshToken })).status,
  };
}

/**
 * A user pool over HTTP whose responses a test scripts. It signs tokens with real keys, also tokens that Cognito would
 * never issue. Tests of regular behavior use the local cloud instead.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import type { Env } from '../../../app/server/config/env.ts';
import { closeServer, listenOnLoopback } from '../http/loopback-server.ts';

type ReceivedRequest = { headers: IncomingHttpHeaders; body: string };
export type ScriptedResponse =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | 'hang'
  | 'reset';
export type Script = (
  received: ReceivedRequest,
  count: number,
) => ScriptedResponse | Promise<ScriptedResponse>;
export type Endpoint = 'keys' | 'api' | 'token' | 'revoke';

export type Claims = Record<string, unknown>;

export const CLIENT_ID = '6k1t2example3client4id';
export const CLIENT_SECRET = 'a-client-secret-of-a-test';

const PATHS: Record<string, Endpoint> = {
  '/us-east-1_Scripted/.well-known/jwks.json': 'keys',
  '/cognito-idp/': 'api',
  '/oauth2/token': 'token',
  '/oauth2/revoke': 'revoke',
};

const knownKey = await openKey('known');
const unknownKey = await openKey('unknown');

async function openKey(kid: string) {
  const keys = await generateKeyPair('RS256', { extractable: true });
  return { jwk: { ...(await exportJWK(keys.privateKey)), kid }, ...keys };
}

export type ScriptedUserPool = Awaited<ReturnType<typeof startScriptedUserPool>>;

/** Starts the user pool on a free port. Until it is scripted it serves its keys and responds to the rest with 500. */
export async function startScriptedUserPool() {
  const received: Record<Endpoint, ReceivedRequest[]> = { keys: [], api: [], token: [], revoke: [] };
  const publicKeys = { keys: [{ ...(await exportJWK(knownKey.publicKey)), kid: 'known', alg: 'RS256' }] };
  const defaultScripts: Partial<Record<Endpoint, Script>> = { keys: () => ({ body: publicKeys }) };
  let scripts = defaultScripts;

  const server = createServer(async (request, response) => {
    const endpoint = PATHS[request.url ?? ''];
    if (!endpoint) return void response.writeHead(404).end('Not scripted\n');
    const entry = { headers: request.headers, body: await text(request) };
    const count = received[endpoint].push(entry);
    send(request, response, (await scripts[endpoint]?.(entry, count)) ?? { status: 500 });
  });
  const origin = await listenOnLoopback(server);
  const issuer = `${origin}/us-east-1_Scripted`;

  return {
    received,
    publicKeys,
    /** Returns the site's configuration for this user pool. */
    userPool: (changes: Partial<Env['userPool']> = {}): Env['userPool'] => ({
      region: 'us-east-1',
      id: 'us-east-1_Scripted',
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      domain: origin,
      issuer,
      endpoint: `${origin}/cognito-idp`,
      refreshOperation: 'GetTokensFromRefreshToken',
      ...changes,
    }),
    script(changes: Partial<Record<Endpoint, Script>>) {
      scripts = { ...scripts, ...changes };
    },
    /** Restores the default scripts and clears the received requests. */
    reset() {
      scripts = defaultScripts;
      for (const each of Object.values(received)) each.length = 0;
    },
    accessToken: (claims: Claims, options?: SigningOptions) =>
      sign(
        { iss: issuer, client_id: CLIENT_ID, token_use: 'access', username: claims.sub, ...claims },
        options,
      ),
    idToken: (claims: Claims, options?: SigningOptions) =>
      sign({ iss: issuer, aud: CLIENT_ID, token_use: 'id', email: 'ada@example.com', ...claims }, options),
    close: () => closeServer(server),
  };
}

export type SigningOptions = { header?: Partial<JWTHeaderParameters>; unknownKey?: boolean };

async function sign(
  claims: Claims,
  { header, unknownKey: foreignKey }: SigningOptions = {},
): Promise<string> {
  const { jwk, privateKey } = foreignKey ? unknownKey : knownKey;
  const signed = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'known', ...header });
  // A key of Web Crypto is bound to one algorithm, a JWK is not.
  return signed.sign(header?.alg ? jwk : privateKey);
}

/** Returns an opaque token with the structure and length of a Cognito refresh token. */
export function createRefreshToken(): string {
  const part = (bytes: number) => randomBytes(bytes).toString('base64url');
  return `${part(64)}.${part(256)}.${part(12)}.${part(980)}.${part(16)}`;
}

/** Returns the claims that the ID token and the access token of one issue share. `at` is in milliseconds. */
export function claimsIssuedAt(at: number, changes: Claims = {}): Claims {
  const iat = Math.floor(at / 1000);
  return { sub: 'a1b2c3d4-0000-4000-8000-00000000ada0', iat, exp: iat + 3600, jti: randomUUID(), ...changes };
}

function send(request: IncomingMessage, response: ServerResponse, scripted: ScriptedResponse): void {
  if (scripted === 'hang') return;
  if (scripted === 'reset') return void request.socket.destroy();
  const { status = 200, headers, body = '' } = scripted;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

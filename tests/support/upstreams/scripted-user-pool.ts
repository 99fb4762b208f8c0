/**
 * A user pool that answers what a test tells it to: real HTTP, real keys and signatures, and tokens that no honest
 * user pool would issue. What an honest one does is tested against the local cloud.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import type { Env } from '../../../app/server/config/env.ts';

export type ReceivedRequest = { headers: IncomingHttpHeaders; body: string };
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

const keyPair = await generateKeyPair('RS256');
const foreignKeyPair = await generateKeyPair('RS256');

export type ScriptedUserPool = Awaited<ReturnType<typeof startScriptedUserPool>>;

/** Starts one on a free port. It knows its keys, and answers everything else with 500 until it is scripted. */
export async function startScriptedUserPool() {
  const received: Record<Endpoint, ReceivedRequest[]> = { keys: [], api: [], token: [], revoke: [] };
  const publicKeys = { keys: [{ ...(await exportJWK(keyPair.publicKey)), kid: 'known', alg: 'RS256' }] };
  const defaultScripts: Partial<Record<Endpoint, Script>> = { keys: () => ({ body: publicKeys }) };
  let scripts = defaultScripts;

  const server = createServer(async (request, response) => {
    const endpoint = PATHS[request.url ?? ''];
    if (!endpoint) return void response.writeHead(404).end('Not scripted\n');
    const entry = { headers: request.headers, body: await text(request) };
    const count = received[endpoint].push(entry);
    send(request, response, (await scripts[endpoint]?.(entry, count)) ?? { status: 500 });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const issuer = `${origin}/us-east-1_Scripted`;

  return {
    received,
    publicKeys,
    /** What the site is told about it. */
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
    /** Forgets scripts and what was received. */
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
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type SigningOptions = { header?: Partial<JWTHeaderParameters>; unknownKey?: boolean };

async function sign(
  claims: Claims,
  { header, unknownKey: foreignKey }: SigningOptions = {},
): Promise<string> {
  const { privateKey } = foreignKey ? foreignKeyPair : keyPair;
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'known', ...header }).sign(privateKey);
}

/** Opaque and as long as a real one. */
export function createRefreshToken(): string {
  const part = (bytes: number) => randomBytes(bytes).toString('base64url');
  return `${part(64)}.${part(256)}.${part(12)}.${part(980)}.${part(16)}`;
}

/** The claims that both tokens of one issue share. `at` is in milliseconds. */
export function claimsIssuedAt(at: number, changes: Claims = {}): Claims {
  const iat = Math.floor(at / 1000);
  return { sub: 'a1b2c3d4-0000-4000-8000-00000000ada0', iat, exp: iat + 3600, jti: randomUUID(), ...changes };
}

function send(request: IncomingMessage, response: ServerResponse, answer: ScriptedResponse): void {
  if (answer === 'hang') return;
  if (answer === 'reset') return void request.socket.destroy();
  const { status = 200, headers, body = '' } = answer;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

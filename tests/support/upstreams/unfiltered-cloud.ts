/**
 * A user pool and a data API that return stored texts unfiltered: names, email addresses and messages that the local
 * cloud would reject.
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from '../http/loopback-server.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type Claims,
  claimsIssuedAt,
  createRefreshToken,
  startScriptedUserPool,
} from './scripted-user-pool.ts';

export type StoredTexts = {
  name: string | null;
  email: string;
  messages: readonly string[];
  /** Added to both tokens. */
  claims?: Claims;
};

export type UnfilteredCloud = {
  /** The environment of the site. */
  environment: Record<string, string>;
  /** The texts that are returned from now on. */
  texts: StoredTexts;
  /** Takes the authorization URL and returns the path of the callback, as if the visitor had signed in. */
  signIn(authorize: URL): string;
  close(): Promise<void>;
};

/** Starts the user pool and the data API on free ports. */
export async function startUnfilteredCloud(texts: StoredTexts): Promise<UnfilteredCloud> {
  const pool = await startScriptedUserPool();
  let nonce: string | null = null;
  const cloud = { texts };
  pool.script({
    token: async () => {
      const { name, email, claims: added } = cloud.texts;
      const claims = claimsIssuedAt(Date.now(), added);
      const access_token = await pool.accessToken(claims);
      const id_token = await pool.idToken({ ...claims, nonce, email, ...(name === null ? {} : { name }) });
      return { body: { access_token, id_token, refresh_token: createRefreshToken(), token_type: 'Bearer' } };
    },
    revoke: () => ({ status: 200 }),
  });
  const dataApi = await startDataApi(() => cloud.texts.messages);
  const { domain, issuer, endpoint } = pool.userPool();
  return Object.assign(cloud, {
    environment: {
      AWS_REGION: 'us-east-1',
      COGNITO_USER_POOL_ID: 'us-east-1_Scripted',
      COGNITO_CLIENT_ID: CLIENT_ID,
      COGNITO_CLIENT_SECRET: CLIENT_SECRET,
      COGNITO_DOMAIN: domain,
      COGNITO_ISSUER: issuer,
      COGNITO_IDENTITY_POOL_ID: 'us-east-1:0b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0',
      GRAPHQL_ENDPOINT: dataApi.url,
      // This mode sends the access token and needs no identity pool, which stores no texts.
      GRAPHQL_AUTH_MODE: 'userPool',
      AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: endpoint,
    },
    signIn({ searchParams }: URL) {
      nonce = searchParams.get('nonce');
      return `/auth/callback?${new URLSearchParams({ code: 'any', state: searchParams.get('state') ?? '' })}`;
    },
    async close() {
      await dataApi.close();
      await pool.close();
    },
  });
}

async function startDataApi(messages: () => readonly string[]) {
  const server = createServer(async (request, response) => {
    // It has no subscriptions.
    if (request.method !== 'POST') return void response.writeHead(404).end();
    const { query } = JSON.parse(await text(request));
    const messageOf = (content: string, index: number) => ({
      id: `message-${index}`,
      content,
      createdAt: '2026-11-21T10:00:00.000Z',
      mine: true,
      author: 'K7QM',
    });
    const items = messages().map(messageOf);
    const data = String(query).startsWith('mutation')
      ? { createMessage: items[0], deleteMessage: items[0] }
      : { listMessages: { items, nextToken: null } };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  const origin = await listenOnLoopback(server);
  return { url: `${origin}/graphql`, close: () => closeServer(server) };
}

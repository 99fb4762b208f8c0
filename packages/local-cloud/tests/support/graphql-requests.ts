/** The GraphQL operations on messages, sent to the local cloud's data API with a signature or a token. */
import { createHash, createHmac, type Hash, type Hmac, randomUUID } from 'node:crypto';
import { SignatureV4 } from '@aws-sdk/signature-v4';
import { expect } from 'vitest';
import type { AwsServices } from './aws-services.ts';

export const LIST =
  'query List($limit: Int, $nextToken: String) { listMessages(limit: $limit, nextToken: $nextToken) { items { id content createdAt mine author } nextToken } }';
export const CREATE =
  'mutation Create($content: String!) { createMessage(content: $content) { id content createdAt mine author } }';
export const DELETE = 'mutation Delete($id: ID!) { deleteMessage(id: $id) { id content mine } }';

export type Message = { id: string; content: string; createdAt: string; mine: boolean; author: string };
export type Page = { items: Message[]; nextToken: string | null };

/** Sends the body of a GraphQL request, as text or as a value to serialize. */
export type Send = (body: unknown) => Promise<Response>;

/** Returns a sender that signs with `key`, by default with a new one; `sub` is null for a guest. */
export function signedSender(
  services: AwsServices,
  sub: string | null,
  { accessKeyId, secretAccessKey, sessionToken } = services.identityPool.accessKeys.issue(
    `us-east-1:${randomUUID()}`,
    sub,
  ),
): Send {
  const { host, hostname } = new URL(services.origin);
  const credentials = { accessKeyId, secretAccessKey, sessionToken };
  const signer = new SignatureV4({ credentials, region: 'us-east-1', service: 'appsync', sha256: Sha256 });
  return async (value) => {
    const request = {
      method: 'POST',
      protocol: 'http:',
      hostname,
      path: '/graphql',
      headers: { host, 'content-type': 'application/json' },
      body: serializeBody(value),
    };
    const { headers } = await signer.sign(request, { signingDate: new Date(services.time.now) });
    return fetch(`${services.origin}/graphql`, { method: 'POST', headers, body: request.body });
  };
}

/** SHA-256, or HMAC-SHA-256 with a key, in the interface that the SDK expects. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    // Node's types lack `ArrayBuffer`, which `createHmac` accepts.
    this.#hash =
      key === undefined ? createHash('sha256') : createHmac('sha256', key as string | NodeJS.ArrayBufferView);
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

/** Returns a sender that authenticates with an access token. */
export function tokenSender(services: AwsServices, token: string): Send {
  return (body) =>
    fetch(`${services.origin}/graphql`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: serializeBody(body),
    });
}

/** Returns text unchanged and any other value as JSON. */
function serializeBody(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** Asserts the status 200 and returns the parsed body. */
export async function readJson<Body = unknown>(response: Promise<Response>): Promise<Body> {
  const { status } = await response;
  expect(status).toBe(200);
  return (await response).json();
}

/** Creates a message and returns it. */
export async function createMessage(send: Send, content: string): Promise<Message> {
  const created = send({ query: CREATE, variables: { content } });
  return (await readJson<{ data: { createMessage: Message } }>(created)).data.createMessage;
}

/** Returns one page of messages. */
export async function listMessages(send: Send, variables: Record<string, unknown> = {}): Promise<Page> {
  const listed = send({ query: LIST, variables });
  return (await readJson<{ data: { listMessages: Page } }>(listed)).data.listMessages;
}

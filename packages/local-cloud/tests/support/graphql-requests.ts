/** The GraphQL operations on messages, sent to the local cloud's data API with a signature or a token. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import type { AwsServices } from './aws-services.ts';
import { type Signing, signedFetch } from './signed-fetch.ts';

export const LIST =
  'query List($limit: Int, $nextToken: String) { listMessages(limit: $limit, nextToken: $nextToken) { items { id content createdAt mine author } nextToken } }';
export const CREATE =
  'mutation Create($content: String!) { createMessage(content: $content) { id content createdAt mine author } }';
export const DELETE = 'mutation Delete($id: ID!) { deleteMessage(id: $id) { id content mine } }';

const messageSchema = z.object({
  id: z.string(),
  content: z.string(),
  createdAt: z.string(),
  mine: z.boolean(),
  author: z.string(),
});
const pageSchema = z.object({
  data: z.object({
    listMessages: z.object({ items: z.array(messageSchema), nextToken: z.string().nullable() }),
  }),
});
const createdSchema = z.object({ data: z.object({ createMessage: messageSchema }) });

export type Message = z.infer<typeof messageSchema>;
export type Page = z.infer<typeof pageSchema>['data']['listMessages'];

/** Sends the body of a GraphQL request, as text or as a value to serialize. */
export type Send = (body: unknown) => Promise<Response>;

/** Returns a sender that signs with credentials of an identity; `sub` is null for a guest. */
export function signedSender(
  services: AwsServices,
  sub: string | null,
  changes: Partial<Signing> = {},
): Send {
  const key = services.accessKeys.issue(`us-east-1:${randomUUID()}`, sub);
  const url = `${services.origin}/graphql`;
  return (body) => signedFetch(url, serializeBody(body), { key, now: services.time.now, ...changes });
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
export function serializeBody(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** Asserts the status 200 and returns the parsed body. */
export async function readJson(response: Promise<Response>): Promise<unknown> {
  const { status } = await response;
  expect(status).toBe(200);
  return (await response).json();
}

/** Creates a message and returns it. */
export async function createMessage(send: Send, content: string): Promise<Message> {
  const created = await readJson(send({ query: CREATE, variables: { content } }));
  return createdSchema.parse(created).data.createMessage;
}

/** Returns one page of messages. */
export async function listMessages(send: Send, variables: Record<string, unknown> = {}): Promise<Page> {
  return pageSchema.parse(await readJson(send({ query: LIST, variables }))).data.listMessages;
}

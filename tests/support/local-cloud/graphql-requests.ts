/** The operations on messages, and the ways to send them to the local cloud's data API. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import type { AwsServices } from './aws-services.ts';
import { type Signing, signedFetch } from './signed-fetch.ts';

export const LIST =
  'query List($limit: Int, $nextToken: String) { listMessages(limit: $limit, nextToken: $nextToken) { items { id content createdAt mine } nextToken } }';
export const CREATE =
  'mutation Create($content: String!) { createMessage(content: $content) { id content createdAt mine } }';
export const DELETE = 'mutation Delete($id: ID!) { deleteMessage(id: $id) { id content mine } }';

const messageSchema = z.object({
  id: z.string(),
  content: z.string(),
  createdAt: z.string(),
  mine: z.boolean(),
});
const pageSchema = z.object({
  data: z.object({
    listMessages: z.object({ items: z.array(messageSchema), nextToken: z.string().nullable() }),
  }),
});
const createdSchema = z.object({ data: z.object({ createMessage: messageSchema }) });

export type Message = z.infer<typeof messageSchema>;
export type Page = z.infer<typeof pageSchema>['data']['listMessages'];

/** How somebody sends a body. */
export type Send = (body: unknown) => Promise<Response>;

export function signedSender(at: AwsServices, sub: string | null, changes: Partial<Signing> = {}): Send {
  const key = at.accessKeys.issue(`us-east-1:${randomUUID()}`, sub);
  return (body) =>
    signedFetch(`${at.origin}/graphql`, serializeBody(body), { key, now: at.time.now, ...changes });
}

export function tokenSender(at: AwsServices, token: string): Send {
  return (body) =>
    fetch(`${at.origin}/graphql`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: serializeBody(body),
    });
}

export function serializeBody(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

export async function readJson(response: Promise<Response>): Promise<unknown> {
  const { status } = await response;
  expect(status).toBe(200);
  return (await response).json();
}

export async function createMessage(send: Send, content: string): Promise<Message> {
  const answer = await readJson(send({ query: CREATE, variables: { content } }));
  return createdSchema.parse(answer).data.createMessage;
}

export async function listMessages(send: Send, variables: Record<string, unknown> = {}): Promise<Page> {
  return pageSchema.parse(await readJson(send({ query: LIST, variables }))).data.listMessages;
}

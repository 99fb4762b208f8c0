/** The GraphQL operations on messages, sent to the local cloud's data API with a signature or a token. */
import { randomUUID } from 'node:crypto';
import { SignatureV4 } from '@aws-sdk/signature-v4';
import type { LocalCloud } from '@tenfold/local-cloud';
import { expect } from 'vitest';
import { Sha256 } from '../../src/sigv4/signature.ts';
import { callAws, signUpAtClient } from './signed-up-client.ts';

export const LIST =
  'query List($limit: Int, $nextToken: String) { listMessages(limit: $limit, nextToken: $nextToken) { items { id content createdAt mine author } nextToken } }';
export const CREATE =
  'mutation Create($content: String!) { createMessage(content: $content) { id content createdAt mine author } }';
export const DELETE = 'mutation Delete($id: ID!) { deleteMessage(id: $id) { id content mine } }';

export type Message = { id: string; content: string; createdAt: string; mine: boolean; author: string };
export type Page = { items: Message[]; nextToken: string | null };

/** Sends the body of a GraphQL request, as text or as a value to serialize. */
export type Send = (body: unknown) => Promise<Response>;

type Local = { readonly cloud: LocalCloud; now: number };

export type Member = {
  idToken: string;
  accessToken: string;
  /** Sends a signed request. */
  send: Send;
};

/** Signs up as a new user and gets credentials. */
export async function signUpMember(local: Local): Promise<Member> {
  const email = `${randomUUID()}@example.com`;
  const { idToken, accessToken } = await signUpAtClient(local.cloud, 'rotating', {}, email);
  return { idToken, accessToken, send: await signedSender(local, idToken) };
}

/**
 * Returns a sender that signs with new credentials; without an ID token with those of a guest. `customRoleArn` is the role that
 * is asked for.
 */
export async function signedSender(local: Local, idToken?: string, customRoleArn?: string): Promise<Send> {
  const { cloud } = local;
  const environment = cloud.environment();
  const provider = environment.COGNITO_ISSUER?.replace('http://', '') ?? '';
  const input = {
    IdentityPoolId: environment.COGNITO_IDENTITY_POOL_ID,
    ...(idToken && { Logins: { [provider]: idToken } }),
  };
  const { IdentityId } = (await callAws(cloud, 'cognito-identity', 'GetId', input)).body;
  const { body } = await callAws(cloud, 'cognito-identity', 'GetCredentialsForIdentity', {
    ...input,
    IdentityId,
    CustomRoleArn: customRoleArn,
  });
  if (!body.Credentials) throw new Error(body.message);
  const { AccessKeyId, SecretKey, SessionToken } = body.Credentials;
  const credentials = {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretKey,
    sessionToken: SessionToken,
  };
  const signer = new SignatureV4({ credentials, region: 'us-east-1', service: 'appsync', sha256: Sha256 });
  const { host, hostname } = new URL(cloud.origin);
  return async (value) => {
    const body = typeof value === 'string' ? value : JSON.stringify(value);
    const headers = { host, 'content-type': 'application/json' };
    const request = { method: 'POST', protocol: 'http:', hostname, path: '/graphql', headers, body };
    const signed = await signer.sign(request, { signingDate: new Date(local.now) });
    return fetch(`${cloud.origin}/graphql`, { method: 'POST', headers: signed.headers, body });
  };
}

/** Returns a sender that authenticates with a token. */
export function tokenSender(cloud: Pick<LocalCloud, 'origin'>, authorization: string): Send {
  return (value) =>
    fetch(`${cloud.origin}/graphql`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: typeof value === 'string' ? value : JSON.stringify(value),
    });
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

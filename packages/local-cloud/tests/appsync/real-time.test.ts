import { WebSocket } from 'undici';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import {
  createMessage,
  type Member,
  readJson,
  signedSender,
  signUpMember,
} from '../support/graphql-requests.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';

const local = startLocalCloudForTests();
let member: Member;
beforeEach(async () => {
  member = await signUpMember(local);
});

const CREATED = 'subscription { messageCreated { id content author } }';
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const authorization = () => ({ host: new URL(local.cloud.origin).host, Authorization: member.accessToken });
const startFrame = (id: string, query: string) => ({
  type: 'start',
  id,
  payload: { data: JSON.stringify({ query }), extensions: { authorization: authorization() } },
});
const errorOf = (errorType: string, message: unknown = expect.any(String), errorCode?: number) => ({
  errors: [{ errorType, message, ...(errorCode && { errorCode }) }],
});

/** Opens a connection with these headers in a sub-protocol, or with a query. Frames are those that came, without `ka`. */
async function open(headers: object | null = authorization(), query = '') {
  const protocols = ['graphql-ws', ...(headers ? [`header-${encode(headers)}`] : [])];
  const socket = new WebSocket(
    `${local.cloud.origin.replace('http', 'ws')}/graphql/realtime${query}`,
    protocols,
  );
  onTestFinished(() => socket.close());
  const frames: { type: string }[] = [];
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(data);
    if (frame.type !== 'ka') frames.push(frame);
  });
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  return { frames, send: (frame: object) => socket.send(JSON.stringify(frame)) };
}

async function connect(headers?: object | null, query?: string) {
  const { frames, send } = await open(headers, query);
  send({ type: 'connection_init' });
  await expect.poll(() => frames).toHaveLength(1);
  return { frames, send };
}

const acknowledged = { type: 'connection_ack', payload: { connectionTimeoutMs: 300_000 } };

it('acknowledges a connection, starts, reports and stops a subscription', async () => {
  const { frames, send } = await open();
  send(startFrame('early', CREATED));
  send({ type: 'connection_init' });
  await expect.poll(() => frames).toEqual([acknowledged]);
  send(startFrame('1', CREATED));
  await expect.poll(() => frames.at(-1)).toEqual({ id: '1', type: 'start_ack' });
  const { id, author } = await createMessage(member.send, 'Hello');
  const data = { messageCreated: { id, content: 'Hello', author } };
  await expect.poll(() => frames.at(-1)).toEqual({ id: '1', type: 'data', payload: { data } });
  send({ id: '1', type: 'stop' });
  await expect.poll(() => frames.at(-1)).toEqual({ id: '1', type: 'complete' });
  await createMessage(member.send, 'Unheard');
  send({ type: 'unknown' });
  const payload = errorOf('UnsupportedOperation', 'unknown not supported through the realtime channel');
  await expect.poll(() => frames.at(-1)).toEqual({ type: 'error', payload });
  expect(frames).toHaveLength(5);
});

it('takes the headers from the query too', async () => {
  const query = `?header=${encodeURIComponent(Buffer.from(JSON.stringify(authorization())).toString('base64'))}&payload=e30=`;
  expect((await connect(null, query)).frames).toEqual([acknowledged]);
});

it.each([
  ['no authorization', () => null],
  ['a token that is none', () => ({ Authorization: 'none' })],
  ['a signature that is none', () => ({ Authorization: 'AWS4-HMAC-SHA256 none' })],
])('refuses a connection with %s', async (_what, headers) => {
  const payload = errorOf('UnauthorizedException', expect.any(String), 401);
  expect((await connect(headers())).frames).toEqual([{ type: 'connection_error', payload }]);
});

it.each([
  ['a query', '{ listMessages { nextToken } }', 'BadRequestException'],
  ['a field that does not exist', 'subscription { none { id } }', 'BadRequestException'],
  ['two fields', 'subscription { recordsErased messageDeleted { id } }', 'BadRequestException'],
])('refuses to start %s', async (_what, query, errorType) => {
  const { frames, send } = await connect();
  send(startFrame('1', query));
  const payload = errorOf(errorType, expect.any(String), 400);
  await expect.poll(() => frames.at(-1)).toEqual({ id: '1', type: 'error', payload });
});

it('reports a required field that the mutation has not selected as AppSync does', async () => {
  const { frames, send } = await connect();
  send(startFrame('1', CREATED));
  await expect.poll(() => frames).toHaveLength(2);
  await readJson(
    member.send({ query: 'mutation { other: createMessage(content: "Hi") { key: id author } }' }),
  );
  await expect
    .poll(() => frames.at(-1))
    .toMatchObject({
      id: '1',
      payload: {
        data: { messageCreated: null },
        errors: [
          {
            message:
              "Cannot return null for non-nullable type: 'String' within parent 'Message' (/messageCreated/content)",
          },
        ],
      },
    });
});

it('starts 200 subscriptions on a connection and no more', async () => {
  const { frames, send } = await connect();
  for (let id = 0; id <= 200; id += 1) send(startFrame(String(id), 'subscription { recordsErased }'));
  await expect.poll(() => frames, { timeout: 60_000 }).toHaveLength(202);
  const refused = frames.filter(({ type }) => type === 'error');
  expect(refused).toMatchObject([{ payload: errorOf('MaxSubscriptionsReachedError') }]);
});

it('reports nothing of a mutation that fails', async () => {
  const { frames, send } = await connect();
  send(startFrame('1', 'subscription { messageDeleted { id } }'));
  await expect.poll(() => frames).toHaveLength(2);
  const gone = '01J00000000000000000000000';
  await readJson(member.send({ query: `mutation { deleteMessage(id: "${gone}") { id } }` }));
  const guest = await signedSender(local);
  expect((await guest({ query: 'mutation { createMessage(content: "x") { id } }' })).status).toBe(401);
  send({ id: '1', type: 'stop' });
  await expect.poll(() => frames.at(-1)).toEqual({ id: '1', type: 'complete' });
  expect(frames).toHaveLength(3);
});

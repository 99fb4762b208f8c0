import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startLocalCloud } from '../../../../tests/support/local-cloud.ts';
import { signUp, siteEnv } from '../../../../tests/support/sign-in/signed-in-session.ts';
import type { SignedIn } from '../../../cognito-session/src/session/session.ts';
import { createLog } from '../../../site-server/src/log/log.ts';
import { createAppSyncClient } from '../../src/data-api/appsync-client.ts';
import { createIdentityPool, type IdentityPool } from '../../src/identity/identity-pool.ts';
import { realTimeUrl } from '../../src/subscriptions/real-time-authorization.ts';
import { createSubscriptions, type SubscriptionEvent } from '../../src/subscriptions/subscriptions.ts';
import {
  CREATE_MESSAGE,
  DELETE_MESSAGE,
  MESSAGE_CREATED,
  MESSAGE_DELETED,
  RECORDS_ERASED,
} from '../support/messages.ts';

let cloud: LocalCloud;
let ann: SignedIn;
let bob: SignedIn;
beforeAll(async () => {
  cloud = await startLocalCloud();
  ann = await signUp(cloud);
  bob = await signUp(cloud);
});
afterEach(() => {
  cloud.faults.set({});
  cloud.faults.forgetCalls();
});
afterAll(() => cloud.close());

/** Opens the subscriptions of a new process. `lifetimeMs` is how long its credentials may be used, if not for 50 minutes. */
function open({ mode = 'iam', lifetimeMs }: { mode?: string; lifetimeMs?: number } = {}) {
  const env = siteEnv(cloud, { GRAPHQL_AUTH_MODE: mode });
  const silent = createLog('silent');
  const identity = createIdentityPool({ ...env.identityPool, issuer: env.userPool.issuer, log: silent });
  const borrowed: string[] = [];
  const shortLived: Pick<IdentityPool, 'credentialsFor' | 'dropCredentials'> = {
    async credentialsFor(caller, signal) {
      const issued = await identity.credentialsFor(caller, signal);
      borrowed.push(caller.id);
      const validUntil = lifetimeMs === undefined ? issued.validUntil : Date.now() + lifetimeMs;
      return { ...issued, validUntil };
    },
    dropCredentials: identity.dropCredentials,
  };
  const credentials = mode === 'iam' ? shortLived : 'access-token';
  const lines: string[] = [];
  const states: string[] = [];
  const subscriptions = createSubscriptions({
    ...env.dataApi,
    credentials,
    operations: [MESSAGE_CREATED, MESSAGE_DELETED, RECORDS_ERASED],
    log: createLog('debug', { write: (line) => void lines.push(line) }),
    metrics: { subscriptionConnection: (state) => void states.push(state) },
  });
  onTestFinished(() => subscriptions.stop());
  const api = createAppSyncClient({ ...env.dataApi, credentials, log: silent });
  /** Adds a listener that collects its events. */
  const listen = (caller: SignedIn) => {
    const events: SubscriptionEvent[] = [];
    return { events, leave: subscriptions.add(caller, (event) => events.push(event)) };
  };
  const create = async (content: string, query = CREATE_MESSAGE.query) => {
    const { result } = await api.execute(ann, { ...CREATE_MESSAGE, query, variables: { content } });
    return result.data?.createMessage ?? expect.fail('nothing was created');
  };
  /** Creates messages one after the other until `isDone`, and returns their texts. */
  const createUntil = async (isDone: () => boolean) => {
    const sent: string[] = [];
    while (!isDone()) {
      const content = `Message ${sent.length}`;
      await create(content);
      sent.push(content);
    }
    return sent;
  };
  return { subscriptions, api, listen, create, createUntil, lines, states, borrowed };
}

const gap: SubscriptionEvent = { type: 'gap' };
const started = (events: readonly SubscriptionEvent[]) => expect.poll(() => events.at(-1)).toEqual(gap);
const contents = (events: readonly SubscriptionEvent[]) =>
  events.flatMap((event) =>
    event.type === 'data' ? [Reflect.get(Object(event.data), 'content') as unknown] : [],
  );
const calls = (operation: string) => cloud.faults.calls['real-time']?.[operation] ?? 0;
const fault = (operation: string, kind: string, rest: object = {}) => ({
  faults: [{ service: 'real-time', operation, kind, times: 1, ...rest }],
});

it.each([
  [
    'https://abc.appsync-api.eu-west-1.amazonaws.com/graphql',
    'wss://abc.appsync-realtime-api.eu-west-1.amazonaws.com/graphql',
  ],
  ['https://api.example.com/graphql', 'wss://api.example.com/graphql/realtime'],
  ['http://127.0.0.1:4000/graphql', 'ws://127.0.0.1:4000/graphql/realtime'],
])('the real-time endpoint of %s is %s', (endpoint, url) => {
  expect(realTimeUrl(endpoint)).toBe(url);
});

describe.each(['iam', 'userPool'])('all listeners share a connection (mode: %s)', (mode) => {
  it('from the first to the last, and get every event once', async () => {
    const { listen, create, api, states } = open({ mode });
    const first = listen(ann);
    await started(first.events);
    const second = listen(bob);
    const { mine, ...message } = await create('Hello');
    await api.execute(ann, { ...DELETE_MESSAGE, variables: { id: message.id } });
    await create('Erased');
    const erase = { operationName: 'E', kind: 'mutation', query: 'mutation E{eraseMyRecords}' } as const;
    await api.execute(ann, { ...erase, variables: {} });
    const expected = [
      { type: 'data', operationName: 'MessageCreated', field: 'messageCreated', data: message },
      {
        type: 'data',
        operationName: 'MessageDeleted',
        field: 'messageDeleted',
        data: { id: message.id },
      },
      expect.objectContaining({ data: expect.objectContaining({ content: 'Erased' }) }),
      { type: 'data', operationName: 'RecordsErased', field: 'recordsErased', data: expect.any(Number) },
    ];
    await expect.poll(() => second.events).toEqual(expected);
    expect(first.events).toEqual([gap, ...expected]);
    expect([mine, calls('connect'), calls('start')]).toEqual([true, 1, 3]);

    first.leave();
    await create('Second only');
    await expect.poll(() => contents(second.events)).toContain('Second only');
    expect(contents(first.events)).not.toContain('Second only');
    second.leave();
    second.leave();
    const delivered = calls('data');
    await expect
      .poll(async () => {
        const before = calls('data');
        await create('Unheard');
        return calls('data') - before;
      })
      .toBe(0);
    expect(contents(second.events)).not.toContain('Unheard');
    expect(calls('data')).toBeGreaterThanOrEqual(delivered);

    const third = listen(bob);
    await started(third.events);
    expect([calls('connect'), states]).toEqual([2, ['opened', 'opened']]);
  });
});

describe('after an interruption listeners get a gap and then every event once', () => {
  // threat-model: T-143
  it.each([
    ['the connection drops', { operation: 'data', kind: 'reset' }],
    ['a frame is no JSON', { operation: 'data', kind: 'invalid-json' }],
    ['a frame is huge', { operation: 'data', kind: 'error', error: 'Huge', message: 'x'.repeat(2_000_000) }],
    [
      'AppSync ends a subscription',
      { operation: 'data', kind: 'error', error: 'InternalFailure', status: 500 },
    ],
  ])('when %s', async (_what, { operation, kind, ...rest }) => {
    const { listen, create, states } = open();
    const { events } = listen(ann);
    await started(events);
    cloud.faults.set(fault(operation, kind, rest));
    await create('Lost');
    await expect.poll(() => events.filter(({ type }) => type === 'gap').length).toBe(2);
    await create('After');
    await expect.poll(() => contents(events)).toEqual(['After']);
    expect(states).toEqual(['opened', 'lost', 'opened']);
  });

  it('when AppSync is silent for longer than it has said', async () => {
    cloud.faults.set({ ...fault('ka', 'hang', { times: 100 }), realTimeTimeoutMs: 1000 });
    const { listen, lines } = open();
    const { events } = listen(ann);
    await expect.poll(() => events).toEqual([gap, gap]);
    expect(lines.join()).toContain('Silence');
  });

  it('when AppSync closes a connection after 24 hours', async () => {
    cloud.faults.set({ realTimeTimeoutMs: 1000 });
    const { listen, create, states } = open();
    const { events } = listen(ann);
    await started(events);
    cloud.faults.set({ realTimeTimeoutMs: 1000, clockSkewSeconds: 86_400 });
    await expect.poll(() => states).toEqual(['opened', 'lost']);
    cloud.faults.set({});
    await create('Meanwhile');
    await expect.poll(() => events.filter(({ type }) => type === 'gap').length).toBe(2);
    await create('After');
    await expect.poll(() => contents(events).at(-1)).toBe('After');
    expect(states).toEqual(['opened', 'lost', 'opened']);
  });

  it('when AppSync ends the subscriptions because their credentials have expired', async () => {
    const { listen, create, states } = open();
    const { events } = listen(ann);
    await started(events);
    cloud.faults.set(fault('data', 'error', { error: 'ExpiredTokenException', status: 401 }));
    cloud.faults.forgetCalls();
    await create('Lost');
    await expect.poll(() => events).toEqual([gap, gap]);
    await create('After');
    await expect.poll(() => contents(events)).toEqual(['After']);
    expect(states).toEqual(['opened', 'refused', 'lost', 'opened']);
    expect(cloud.faults.calls['cognito-identity']?.GetCredentialsForIdentity, 'new credentials').toBe(1);
  });

  it('when AppSync was away', async () => {
    const { listen, create } = open();
    const { events } = listen(ann);
    await started(events);
    await cloud.disconnect();
    await cloud.reconnect();
    await expect.poll(() => events).toEqual([gap, gap]);
    await create('Back');
    await expect.poll(() => contents(events)).toEqual(['Back']);
  });

  it('when a mutation has not selected what the subscription requires', async () => {
    const { listen, create } = open();
    const { events } = listen(ann);
    await started(events);
    await create('Thin', CREATE_MESSAGE.query.replace('...MessageParts', 'id').replace(/fragment.*/, ''));
    await expect.poll(() => events).toEqual([gap, gap]);
  });
});

// threat-model: T-141
it('before the credentials end, a second connection replaces the first: nothing is lost or doubled', async () => {
  const { listen, createUntil, states } = open({ lifetimeMs: 3_000 });
  const { events } = listen(ann);
  await started(events);
  const sent = await createUntil(() => states.filter((state) => state === 'renewed').length >= 3);
  await expect.poll(() => contents(events)).toEqual(sent);
  expect(events.filter(({ type }) => type === 'gap')).toHaveLength(1);
  expect(states).toEqual(['opened', 'renewed', 'renewed', 'renewed']);
});

// threat-model: T-141
it('after 23.5 hours a second connection replaces the first, whatever the credentials', async () => {
  const hour = 60 * 60 * 1000;
  const waits: number[] = [];
  const { setTimeout: start } = globalThis;
  // Such a wait takes two seconds here.
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((callback, ms = 0, ...args) => {
    if (ms > hour) waits.push(ms / hour);
    return start(callback, ms > hour ? 2000 : ms, ...args);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const { listen, createUntil, states } = open({ lifetimeMs: 48 * hour });
  const { events } = listen(ann);
  await started(events);
  const sent = await createUntil(() => states.length >= 3);
  await expect.poll(() => contents(events)).toEqual(sent);
  expect(states).toEqual(['opened', 'renewed', 'renewed']);
  expect(events.filter(({ type }) => type === 'gap')).toHaveLength(1);
  expect(Math.max(...waits)).toBeCloseTo(23.5, 3);
});

// threat-model: T-142
it('a connection in the name of an ended session is replaced by one in the name of another', async () => {
  const { subscriptions, listen, create, states, borrowed } = open();
  const first = listen(ann);
  await started(first.events);
  const second = listen(bob);
  subscriptions.forget(ann.id);
  await expect.poll(() => states).toEqual(['opened', 'renewed']);
  expect(borrowed).toEqual([ann.id, bob.id]);
  await create('Still here');
  await expect.poll(() => contents(second.events)).toEqual(['Still here']);
  expect(first.events).toEqual([gap]);
  subscriptions.forget(bob.id);
  await create('Unheard');
  const third = listen(ann);
  await started(third.events);
  expect(second.events).toHaveLength(1);
});

describe('when AppSync refuses', () => {
  it('a caller, the connection is opened in the name of another', async () => {
    cloud.faults.set(fault('connect', 'error', { error: 'UnauthorizedException' }));
    const { listen, borrowed, states } = open();
    const { events } = listen(ann);
    listen(bob);
    await started(events);
    expect(new Set(borrowed)).toEqual(new Set([ann.id, bob.id]));
    expect(states).toEqual(['refused', 'opened']);
  });

  it('an access token, it is not sent again', async () => {
    cloud.faults.set(fault('connect', 'error', { error: 'UnauthorizedException' }));
    const { listen, states } = open({ mode: 'userPool' });
    listen(ann);
    await expect.poll(() => states).toEqual(['refused']);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(calls('connect')).toBe(1);
    const { events } = listen(bob);
    await started(events);
    expect(calls('connect')).toBe(2);
  });

  // threat-model: T-140
  it('everybody, it is asked seldom, and nothing of what it repeats is logged', async () => {
    cloud.faults.set({ deniedFields: ['Subscription.messageCreated'] });
    const { listen, lines } = open();
    const { events } = listen(ann);
    await expect.poll(() => calls('connect')).toBeGreaterThan(1);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(calls('connect')).toBeLessThan(5);
    expect(events).toEqual([]);
    cloud.faults.set({
      ...fault('connect', 'error', {
        error: 'BadRequestException',
        message: 'The Canonical String for this request should have been x-amz-security-token:SECRET',
      }),
    });
    await expect.poll(() => lines.join(), { timeout: 60_000 }).toContain('BadRequestException');
    expect(lines.join()).not.toMatch(/SECRET|Canonical|AWS4|Signature/);
  });
});

// threat-model: T-152
it.each([
  ['connection', 'connect', 'NoConnectionAck'],
  ['subscription', 'start', 'NoStartAck'],
])(
  'the acknowledgment of a %s that does not come within 15 seconds is not awaited',
  async (_what, operation, code) => {
    cloud.faults.set(fault(operation, 'hang'));
    const { listen, create, lines } = open();
    const { events } = listen(ann);
    await expect.poll(() => events.at(-1), { timeout: 60_000 }).toEqual(gap);
    expect(lines.join()).toContain(code);
    expect(calls('connect')).toBe(2);
    await create('After');
    await expect.poll(() => contents(events)).toEqual(['After']);
  },
);

describe('a subscription that AppSync acknowledges late', () => {
  const late = (times: number) => fault('start', 'slow', { delayMs: 2000, times });

  // threat-model: T-152
  it('reports what was posted before as a gap', async () => {
    cloud.faults.set(late(3));
    const { listen, create } = open();
    const { events } = listen(ann);
    await create('Early');
    expect(events).toEqual([]);
    await started(events);
    await create('After');
    await expect.poll(() => contents(events)).toEqual(['After']);
  });

  // threat-model: T-152
  it('does not interrupt the connection that it replaces', async () => {
    const { listen, createUntil, states } = open({ lifetimeMs: 2000 });
    const { events } = listen(ann);
    await started(events);
    cloud.faults.set(late(3));
    const sent = await createUntil(() => states.length >= 2);
    await expect.poll(() => contents(events)).toEqual(sent);
    expect(events.filter(({ type }) => type === 'gap')).toHaveLength(1);
  });
});

it('after `stop` nothing is opened', async () => {
  const { subscriptions, listen, create } = open();
  const { events } = listen(ann);
  await started(events);
  subscriptions.stop();
  listen(bob);
  await create('Unheard');
  expect([calls('connect'), contents(events)]).toEqual([1, []]);
});

/**
 * The subscriptions of a process: one real-time connection to AppSync, whose events all listeners share.
 * https://docs.aws.amazon.com/appsync/latest/devguide/real-time-websocket-client.html
 */
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Clock, consoleLog, type Log, systemClock } from '#upstream';
import type { SubscriptionOperation } from '../data-api/operation.ts';
import type { IdentityPool } from '../identity/identity-pool.ts';
import type { Caller } from '../settings.ts';
import { type Borrow, createBorrow, type Loan, realTimeUrl } from './real-time-authorization.ts';
import {
  ConnectionEnd,
  openConnection,
  type Payload,
  type RealTimeConnection,
} from './real-time-connection.ts';

/**
 * `data` is one event of a subscription: the value of `field`, with the fields that the mutation and the subscription both
 * select. It comes once, or without an `id` in it sometimes twice. `gap`: events may have been missed, so what they report must be loaded again.
 */
export type SubscriptionEvent =
  | { type: 'data'; operationName: string; field: string; data: unknown }
  | { type: 'gap' };

export type Subscriptions = {
  /**
   * Calls `listener` with every event from now on, until the returned function is called. The first listener opens the
   * connection, and the last one that leaves closes it.
   *
   * A listener gets `gap` when the subscriptions start after `add`, and whenever they start again after an interruption. It
   * gets none at first when they have started already. What happened before `add` is not an event.
   *
   * The connection is authorized in the name of one of the callers, so all callers must be allowed to see the same
   * events. Tokens are used as they were at `add`. A listener should therefore leave when they expire (`tokensExpireAt`),
   * and come back with a refreshed caller.
   */
  add(caller: Caller, listener: (event: SubscriptionEvent) => void): () => void;
  /**
   * A session has ended, by sign-out or otherwise: its listeners get nothing more, and a connection in its name is
   * replaced by one in the name of another caller, without a gap, or closed. Call it beside `forget` of the identity pool.
   */
  forget(sessionId: string): void;
  /** Closes the connection for good. Listeners get nothing more. For the shutdown of the process. */
  stop(): void;
};

/** Counts what happens to the connection. */
export type SubscriptionMetrics = {
  /** `renewed`: replaced without a gap. `lost`: it ended and was not closed here. `refused`: AppSync denied it. */
  subscriptionConnection(event: 'opened' | 'renewed' | 'lost' | 'refused'): void;
};

export type SubscriptionsOptions = {
  /**
   * The GraphQL endpoint of the API. `https://{id}.appsync-api.{region}.amazonaws.com/graphql` has its real-time endpoint
   * at `wss://{id}.appsync-realtime-api.{region}.amazonaws.com/graphql`. Every other endpoint is taken as a custom domain: its path
   * gets `/realtime`, and `http:` becomes `ws:`.
   */
  endpoint: string;
  region: string;
  /** As in `AppSyncOptions`. */
  credentials: Pick<IdentityPool, 'credentialsFor' | 'dropCredentials'> | 'access-token';
  /** The subscriptions, at most 200, each with one field and without variables. */
  operations: readonly SubscriptionOperation[];
  clock?: Clock;
  /** Default: warnings and errors go to the console. */
  log?: Log;
  metrics?: SubscriptionMetrics;
};

/** A caller that listens. */
type Entry = {
  caller: Caller;
  listener: (event: SubscriptionEvent) => void;
  /** How often its credentials could not be borrowed or were refused. */
  refusals: number;
};

/** A connection with what it has borrowed. */
type Lent = { connection: RealTimeConnection; sessionId: string; renewAt: number };

const ACKNOWLEDGE_MS = 15_000;
/** AppSync closes a connection after 24 hours. */
const MAX_AGE_MS = 23.5 * 60 * 60 * 1000;
/** How long a replaced connection still delivers what AppSync has on the way. */
const OVERLAP_MS = 5_000;
/** Credentials are valid for at least that long after `renewAt`. */
const EXPIRY_MARGIN_MS = 60_000;
const MIN_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 60_000;
/** How many callers one attempt asks for credentials. */
const LENDERS_PER_ATTEMPT = 3;
/** Of which an event may arrive a second time, over another connection. */
const REMEMBERED_EVENTS = { max: 1000, ttl: 60_000 };
/** The code of an attempt for which no caller had credentials. */
const NO_LENDER = 'NoCredentials';

const noMetrics: SubscriptionMetrics = { subscriptionConnection() {} };

/**
 * Creates the subscriptions of a process. Nothing is opened before the first listener. Throws a `TypeError` when `endpoint` is
 * not a URL.
 */
export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  return new SharedSubscriptions(options);
}

class SharedSubscriptions implements Subscriptions {
  readonly #operations: readonly SubscriptionOperation[];
  readonly #url: string;
  readonly #borrow: Borrow;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #metrics: SubscriptionMetrics;
  readonly #entries = new Set<Entry>();
  /** Credentials that AppSync has refused. */
  readonly #refused = new LRUCache<string, true>({ max: 1000 });
  /** The loan of the connection over which an event came first. */
  readonly #origins = new LRUCache<string, object>(REMEMBERED_EVENTS);
  /** Every connection that has not ended. */
  readonly #connections = new Set<RealTimeConnection>();
  /** Aborted when the last listener has left. */
  #running: AbortController | null = null;
  /** Aborted when the connection must be renewed, or may be opened, at once. */
  #wake = new AbortController();
  /** The session in whose name a connection is being opened. */
  #openingFor: string | null = null;
  /** Whether the loop waits although no connection was refused. */
  #isWithoutLender = false;
  #isStopped = false;
  #current: Lent | null = null;

  constructor(options: SubscriptionsOptions) {
    const { endpoint, operations, clock = systemClock, log = consoleLog, metrics = noMetrics } = options;
    this.#operations = operations;
    this.#url = realTimeUrl(endpoint);
    this.#borrow = createBorrow({ ...options, clock });
    this.#clock = clock;
    this.#log = log;
    this.#metrics = metrics;
  }

  add(caller: Caller, listener: Entry['listener']): () => void {
    if (this.#isStopped) return () => {};
    const entry: Entry = { caller, listener, refusals: 0 };
    this.#entries.add(entry);
    if (!this.#running) {
      this.#running = new AbortController();
      void this.#run(this.#running.signal);
    } else if (this.#isWithoutLender) {
      this.#wake.abort();
    }
    return () => this.#remove([entry]);
  }

  forget(sessionId: string): void {
    this.#remove([...this.#entries].filter(({ caller }) => caller.id === sessionId));
    const isCurrent = this.#current?.sessionId === sessionId;
    if (this.#current && isCurrent) this.#current.renewAt = this.#clock();
    if (isCurrent || this.#openingFor === sessionId) this.#wake.abort();
  }

  stop(): void {
    this.#isStopped = true;
    this.#remove([...this.#entries]);
  }

  #remove(entries: readonly Entry[]): void {
    for (const entry of entries) this.#entries.delete(entry);
    if (this.#entries.size > 0) return;
    this.#running?.abort();
    this.#wake.abort();
    this.#running = null;
    this.#current = null;
    for (const connection of this.#connections) connection.close();
  }

  /** Keeps a connection open until `signal` is aborted. Never rejects. */
  async #run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      try {
        const { connection, renewAt } = await this.#open(signal);
        const openedAt = this.#clock();
        await this.#pause(renewAt - openedAt, connection.ended);
        const isRenewal = connection.isOpen();
        if (isRenewal || this.#clock() - openedAt > MAX_BACKOFF_MS) failures = 0;
        if (isRenewal || signal.aborted) continue;
        const { code } = await connection.ended;
        this.#log.info({ code }, 'subscriptions interrupted');
        this.#metrics.subscriptionConnection('lost');
      } catch (err) {
        if (signal.aborted) return;
        const code = isCoded(err) ? err.code : 'UnknownError';
        this.#isWithoutLender = code === NO_LENDER;
        this.#log.warn({ code }, 'subscriptions not started');
      }
      failures += 1;
      const delay =
        Math.min(MIN_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS) * (0.5 + Math.random() / 2);
      const current = this.#current;
      if (current && this.#clock() + delay >= current.renewAt + EXPIRY_MARGIN_MS) current.connection.close();
      await this.#pause(delay);
      this.#isWithoutLender = false;
    }
  }

  /** Resolves after `ms` milliseconds, when `ended` does, or when the loop is woken. */
  #pause(ms: number, ended?: Promise<unknown>): Promise<void> {
    const { signal } = this.#wake;
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(), Math.min(ms, MAX_AGE_MS));
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      ended?.then(done);
      if (signal.aborted) done();
      else signal.addEventListener('abort', done);
    });
  }

  /** Opens a connection in the name of a caller. It replaces the current one if there is one. */
  async #open(signal: AbortSignal): Promise<Lent> {
    const { entry, loan } = await this.#findLender(signal);
    const { id: sessionId } = entry.caller;
    this.#openingFor = sessionId;
    const connection = await openConnection({
      url: this.#url,
      authorize: loan.authorize,
      operations: this.#operations,
      acknowledgeMs: ACKNOWLEDGE_MS,
      signal,
      onData: (operation, payload) => this.#receive(operation, payload, loan),
    }).catch((err: unknown) => {
      if (err instanceof ConnectionEnd && err.isRefusal) this.#refuse(entry, loan);
      throw err;
    });
    if (signal.aborted) connection.close();
    signal.throwIfAborted();
    this.#connections.add(connection);
    void connection.ended.then((end) => {
      this.#connections.delete(connection);
      if (end.isRefusal) this.#refuse(entry, loan);
    });
    const now = this.#clock();
    // The session has ended since.
    const isForgotten = this.#wake.signal.aborted;
    const previous = this.#current?.connection;
    const lent = {
      connection,
      sessionId,
      renewAt: isForgotten ? now : Math.min(loan.renewAt, now + MAX_AGE_MS),
    };
    this.#current = lent;
    if (previous?.isOpen()) {
      this.#metrics.subscriptionConnection('renewed');
      void this.#replace(previous, signal);
    } else {
      this.#metrics.subscriptionConnection('opened');
      this.#notify({ type: 'gap' });
    }
    return lent;
  }

  /** Resolves to what the connection borrows, from the newest caller first, who has the newest tokens. */
  async #findLender(signal: AbortSignal): Promise<{ entry: Entry; loan: Loan }> {
    const callers = [...this.#entries].reverse().sort((one, other) => one.refusals - other.refusals);
    for (const entry of callers.slice(0, LENDERS_PER_ATTEMPT)) {
      try {
        const loan = await this.#borrow(entry.caller, signal);
        if (loan.renewAt > this.#clock() && !this.#refused.has(loan.key)) return { entry, loan };
      } catch {
        signal.throwIfAborted();
      }
      entry.refusals += 1;
    }
    throw new ConnectionEnd(NO_LENDER);
  }

  #refuse(entry: Entry, loan: Loan): void {
    entry.refusals += 1;
    this.#refused.set(loan.key, true);
    loan.onRefused();
    this.#metrics.subscriptionConnection('refused');
  }

  /** Ends a connection when everything that AppSync has sent over it has arrived. */
  async #replace(connection: RealTimeConnection, signal: AbortSignal): Promise<void> {
    await Promise.race([sleep(OVERLAP_MS, undefined, { ref: false }), connection.ended]);
    if (!(await connection.finish()) && !signal.aborted) this.#notify({ type: 'gap' });
  }

  #receive(operation: SubscriptionOperation, payload: Payload, origin: object): void {
    const { operationName } = operation;
    if (payload.errors) {
      // The mutation has not selected a field that the subscription requires.
      this.#log.warn({ operation: operationName }, 'event without data');
      this.#notify({ type: 'gap' });
      return;
    }
    for (const [field, data] of Object.entries(payload.data ?? {})) {
      if (data === null || this.#isRepeated(operationName, data, origin)) continue;
      this.#notify({ type: 'data', operationName, field, data });
    }
  }

  /** Whether another connection has delivered the event. Events without an `id` cannot be told apart. */
  #isRepeated(operationName: string, data: unknown, origin: object): boolean {
    if (typeof data !== 'object' || data === null || !('id' in data)) return false;
    const key = hash('sha256', JSON.stringify([operationName, data]));
    const first = this.#origins.get(key) ?? origin;
    this.#origins.set(key, first);
    return first !== origin;
  }

  #notify(event: SubscriptionEvent): void {
    for (const { listener } of this.#entries) {
      try {
        listener(event);
      } catch (err) {
        this.#log.error({ err }, 'a listener failed');
      }
    }
  }
}

function isCoded(err: unknown): err is { code: string } {
  return err instanceof Error && 'code' in err && typeof err.code === 'string';
}

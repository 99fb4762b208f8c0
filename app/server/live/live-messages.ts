/** Streams of events about messages: one subscription of the process, and a stream for each browser that listens. */
import {
  createSubscriptions,
  type IdentityPool,
  type SubscriptionEvent,
  type Subscriptions,
  tokensExpireAt,
} from '@tenfold/appsync-proxy';
import type { CognitoSession, SignedIn } from '@tenfold/cognito-session';
import { type Log, Quota, type Rejection, retryAfter } from '@tenfold/site-server';
import type { Clock } from '@tenfold/upstream';
import { z } from 'zod';
import {
  MESSAGE_CREATED,
  MESSAGE_DELETED,
  RECORDS_ERASED,
} from '../../graphql/messages.graphql.generated.ts';
import type { Env } from '../config/env.ts';

/** A browser has one stream, or one for each tab if its tabs cannot share it. */
const MAX_PER_SESSION = 4;
/** An account may be signed in any number of times. */
const MAX_PER_USER = 20;
const MAX_STREAMS = 2000;
const RETRY_AFTER_MS = 30_000;

/** Proxies close a connection without traffic, many of them after a minute. */
const HEARTBEAT_MS = 20_000;
/**
 * A stream ends after 10 to 15 minutes, and with its tokens, so that the browser comes back with a session that is checked
 * and refreshed. The subscription may need its tokens.
 */
const MIN_STREAM_MS = 10 * 60 * 1000;
const MAX_STREAM_MS = 15 * 60 * 1000;
/** After how many milliseconds browsers connect again. Not all of them do so at the same moment. */
const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 2000;

type LiveMessagesDeps = {
  env: Pick<Env, 'dataApi'>;
  auth: Pick<CognitoSession, 'watchEnd'>;
  identity: IdentityPool;
  clock: Clock;
  log: Log;
};

export class LiveMessages {
  readonly #auth: LiveMessagesDeps['auth'];
  readonly #clock: Clock;
  readonly #subscriptions: Subscriptions;
  readonly #ofSessions = new Quota({ max: MAX_STREAMS, maxPerKey: MAX_PER_SESSION });
  readonly #ofUsers = new Quota({ max: MAX_STREAMS, maxPerKey: MAX_PER_USER });

  constructor({ env, auth, identity, clock, log }: LiveMessagesDeps) {
    this.#auth = auth;
    this.#clock = clock;
    this.#subscriptions = createSubscriptions({
      ...env.dataApi,
      credentials: env.dataApi.authMode === 'iam' ? identity : 'access-token',
      operations: [MESSAGE_CREATED, MESSAGE_DELETED, RECORDS_ERASED],
      ...{ clock, log },
    });
  }

  /**
   * Opens the stream of a session: server-sent events (HTML, section 9.2), beginning with a `gap`, because what happened
   * since the browser has loaded the messages is not known. It ends a second after the session at the latest, and when
   * `signal` aborts. Returns why it is not opened if there are too many.
   */
  open(session: SignedIn, signal: AbortSignal): ReadableStream<Uint8Array> | Rejection {
    const { id, user } = session;
    if (!this.#ofSessions.take(id)) return tooMany(this.#ofSessions.isFull);
    if (!this.#ofUsers.take(user.sub)) {
      this.#ofSessions.release(id);
      return tooMany(false);
    }
    const stops = [() => this.#ofSessions.release(id), () => this.#ofUsers.release(user.sub)];
    const stop = () => {
      for (const step of stops.splice(0)) step();
    };
    signal.addEventListener('abort', stop);
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        const end = () => {
          if (stops.length === 0) return;
          stop();
          controller.close();
        };
        send(`retry: ${Math.round(between(MIN_RETRY_MS, MAX_RETRY_MS))}\n\n`);
        controller.enqueue(gap);
        const heart = setInterval(() => send(':\n\n'), HEARTBEAT_MS);
        const tokensLastMs = tokensExpireAt(session) - this.#clock();
        // While the user pool is unavailable, sessions go on with expired tokens.
        const lastsMs = tokensLastMs > 0 ? tokensLastMs : RETRY_AFTER_MS;
        const over = setTimeout(end, Math.min(between(MIN_STREAM_MS, MAX_STREAM_MS), lastsMs));
        const leave = this.#subscriptions.add(session, (event) => {
          const bytes = encode(event);
          if (bytes) controller.enqueue(bytes);
        });
        const unwatch = this.#auth.watchEnd(session, () => {
          this.#subscriptions.forget(id);
          end();
        });
        stops.push(
          () => clearInterval(heart),
          () => clearTimeout(over),
          leave,
          unwatch,
        );
      },
      cancel: stop,
    });
  }

  stop(): void {
    this.#subscriptions.stop();
  }
}

function tooMany(ofProcess: boolean): Rejection {
  const message = 'There are too many open streams.';
  return {
    status: ofProcess ? 503 : 429,
    code: 'TooManyStreams',
    message,
    headers: retryAfter(RETRY_AFTER_MS),
  };
}

const encoder = new TextEncoder();
const eventOf = (name: string, data: unknown) =>
  encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);

/** The browser must load the messages again. An event without data would not arrive. */
const gap = eventOf('gap', {});

const id = z.string().max(100);
const created = z.object({ id, content: z.string(), createdAt: z.string(), author: z.string() });
const deleted = z.object({ id });

/** Every stream sends the same bytes. */
const encoded = new WeakMap<SubscriptionEvent, Uint8Array | null>();

function encode(event: SubscriptionEvent): Uint8Array | null {
  let bytes = encoded.get(event);
  if (bytes === undefined) {
    bytes = encodeNew(event);
    encoded.set(event, bytes);
  }
  return bytes;
}

/** What the site cannot read may be any change. */
function encodeNew(event: SubscriptionEvent): Uint8Array | null {
  if (event.type === 'gap') return gap;
  const { field, data } = event;
  if (field === 'recordsErased' && data === 0) return null;
  const schema = { messageCreated: created, messageDeleted: deleted }[field];
  const parsed = schema?.safeParse(data);
  return parsed?.success ? eventOf(field === 'messageCreated' ? 'created' : 'deleted', parsed.data) : gap;
}

function between(min: number, max: number): number {
  return min + Math.random() * (max - min);
}

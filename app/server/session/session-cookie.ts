/** Reads and writes the session cookie: sealed, chunked, with the configured attributes. */
import { LRUCache } from 'lru-cache';
import type { Env } from '../config/env.ts';
import {
  deleteChunkedCookie,
  hasChunkedCookie,
  readChunkedCookie,
  writeChunkedCookie,
} from '../cookies/chunked-cookie.ts';
import type { CookieAttributes, CookieSource, ResponseCookies } from '../cookies/cookie-jar.ts';
import { type CookieSealer, cookieName, createCookieSealer } from '../cookies/sealed-cookie.ts';
import type { Clock } from '../resilience/clock.ts';
import {
  decodeSessionCookie,
  encodeSessionCookie,
  type SessionCookie,
  type SessionRecord,
  sessionEnd,
} from './session-record.ts';

/** `expired`: a session that is too old or was idle for too long. `ended`: the mark of a session that has ended. */
type ReceivedCookie =
  | { state: 'none' | 'unreadable' | 'expired' | 'ended' }
  | { state: 'open'; record: SessionRecord };

export type SessionCookies = {
  read(request: CookieSource): Promise<ReceivedCookie>;
  /** Rejects with a `RangeError` if the tokens are too long for cookies. */
  write(request: CookieSource, cookies: ResponseCookies, record: SessionRecord): Promise<void>;
  /** Replaces the session by a small mark that says that it has ended. The mark expires after an hour. */
  writeEnded(request: CookieSource, cookies: ResponseCookies): Promise<void>;
  clear(request: CookieSource, cookies: ResponseCookies): void;
};

const ENDED_MS = 60 * 60 * 1000;

type SessionCookiesDeps = { env: Pick<Env, 'session'>; clock: Clock };

/** Creates the access to the session cookie, with the secrets, limits and attributes that `env` configures. */
export function createSessionCookies({ env, clock }: SessionCookiesDeps): SessionCookies {
  const { secrets, secure, sameSite, maxAge } = env.session;
  const name = cookieName('session', secure);
  const sealer = createCookieSealer(secrets, name);
  const attributes: CookieAttributes = { httpOnly: true, secure, sameSite };
  const open = createCookieOpener(sealer, clock);
  const sealRecord = createRecordSealer(sealer, env);

  const write = (request: CookieSource, cookies: ResponseCookies, value: string, until: number): void => {
    const seconds = Math.ceil((until - clock()) / 1000);
    writeChunkedCookie(request, cookies, name, value, { ...attributes, maxAge: seconds });
  };

  return {
    async read(request) {
      const value = readChunkedCookie(request, name);
      if (value === null) return { state: hasChunkedCookie(request, name) ? 'unreadable' : 'none' };
      const now = clock();
      const opened = await open(value);
      return opened ? toReceivedCookie(opened, now, env) : { state: 'unreadable' };
    },

    async write(request, cookies, record) {
      // Longer than the idle time, so that a visitor who returns too late sees that the session has ended.
      write(request, cookies, await sealRecord(record), record.startedAt + maxAge * 1000);
    },

    async writeEnded(request, cookies) {
      const until = clock() + ENDED_MS;
      write(request, cookies, await sealer.seal(encodeSessionCookie({ kind: 'ended' }), until), until);
    },

    clear: (request, cookies) => deleteChunkedCookie(request, cookies, name, attributes),
  };
}

/** Seals each record once: all requests that waited for one refresh write the same record. */
function createRecordSealer(sealer: CookieSealer, { session }: Pick<Env, 'session'>) {
  const sealed = new WeakMap<SessionRecord, Promise<string>>();
  return (record: SessionRecord): Promise<string> => {
    const bytes = () => encodeSessionCookie({ kind: 'session', record });
    const value = sealed.get(record) ?? sealer.seal(bytes(), sessionEnd(record, session));
    sealed.set(record, value);
    return value;
  };
}

type OpenedCookie = { value: string; content: SessionCookie; expiresAt: number };

/** About 1,500 sessions with tokens of the usual size. A character of the value and its opened content are 2 bytes. */
const MAX_CACHE_BYTES = 16 * 1024 * 1024;
const BYTES_PER_CHARACTER = 2;

/** The cache key is the end of the value, which contains the 128 bits of the authentication tag. A whole value is long. */
const CACHE_KEY_LENGTH = 22;

/** The state at the time `now`. The limits of `env` may be shorter than when the cookie was sealed. */
function toReceivedCookie(
  { content, expiresAt }: OpenedCookie,
  now: number,
  env: SessionCookiesDeps['env'],
): ReceivedCookie {
  const isExpired = now >= expiresAt;
  if (content.kind === 'ended') return { state: isExpired ? 'unreadable' : 'ended' };
  if (isExpired || now >= sessionEnd(content.record, env.session)) return { state: 'expired' };
  return { state: 'open', record: content.record };
}

/** Opens cookie values, and caches their content: decryption is the most expensive step of most requests. */
function createCookieOpener(sealer: CookieSealer, clock: Clock) {
  const cache = new LRUCache<string, OpenedCookie>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ value }) => value.length * BYTES_PER_CHARACTER,
  });

  return async (value: string): Promise<OpenedCookie | null> => {
    const cacheKey = value.slice(-CACHE_KEY_LENGTH);
    const cached = cache.get(cacheKey);
    if (cached?.value === value) return cached;
    const unsealed = await sealer.open(value, clock());
    if (unsealed.state === 'unreadable') return null;
    const content = decodeSessionCookie(unsealed.body);
    if (!content) return null;
    const opened = { value, content, expiresAt: unsealed.expiresAt };
    cache.set(cacheKey, opened);
    return opened;
  };
}

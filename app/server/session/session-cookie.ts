/** The session cookie on its way in and out: sealed, split, with the attributes that configuration asks for. */
import { LRUCache } from 'lru-cache';
import type { Env } from '../config/env.ts';
import {
  deleteChunkedCookie,
  hasChunkedCookie,
  readChunkedCookie,
  writeChunkedCookie,
} from '../cookies/chunked-cookie.ts';
import type { CookieAttributes, CookieSource, ResponseCookies } from '../cookies/cookie-jar.ts';
import { cookieName, createCookieSealer } from '../cookies/sealed-cookie.ts';
import type { Clock } from '../resilience/clock.ts';
import {
  decodeSessionCookie,
  encodeSessionCookie,
  type SessionCookie,
  type SessionRecord,
  sessionEnd,
} from './session-record.ts';

/** What a request brought. `over` is a genuine session that is too old, or was idle for too long. */
export type ReceivedCookie =
  | { state: 'none' | 'unreadable' | 'over' | 'ended' }
  | { state: 'open'; record: SessionRecord };

export type SessionCookies = {
  read(request: CookieSource): Promise<ReceivedCookie>;
  /** Throws a `RangeError` when the tokens are too big for cookies. */
  write(request: CookieSource, cookies: ResponseCookies, record: SessionRecord): Promise<void>;
  /** Puts a small mark in the session's place that says that there was one. It stays for an hour. */
  writeEnded(request: CookieSource, cookies: ResponseCookies): Promise<void>;
  clear(request: CookieSource, cookies: ResponseCookies): void;
};

/** Some 1,500 sessions with tokens of the usual size. Of the value and of what was in it, each character is a byte. */
const MAX_OPENED_BYTES = 16 * 1024 * 1024;
const OPENED_PER_CHARACTER = 2;

type Opened = { value: string; content: SessionCookie; expiresAt: number };

/**
 * A value is long, and to look it up by all of it costs as much as the rest. It is found by its end, the 128 bits of
 * the seal, and then compared as a whole.
 */
const KEY_LENGTH = 22;

const ENDED_MS = 60 * 60 * 1000;

/** The session cookie of a site that is configured so. */
export function createSessionCookies({
  env,
  clock,
}: {
  env: Pick<Env, 'session'>;
  clock: Clock;
}): SessionCookies {
  const { secrets, secure, sameSite, maxAge } = env.session;
  const name = cookieName('session', secure);
  const sealer = createCookieSealer(secrets, name);
  const attributes: CookieAttributes = { httpOnly: true, secure, sameSite };
  /** Requests that waited for one refresh share its record, and need it sealed only once. */
  const sealed = new WeakMap<SessionRecord, Promise<string>>();

  /** A page asks again and again with the same cookie, and opening it costs more than all else that is done with it. */
  const opened = new LRUCache<string, Opened>({
    maxSize: MAX_OPENED_BYTES,
    sizeCalculation: ({ value }) => value.length * OPENED_PER_CHARACTER,
  });

  const openedAs = (value: string): Opened | null => {
    const found = opened.get(value.slice(-KEY_LENGTH));
    return found?.value === value ? found : null;
  };

  const seal = (content: SessionCookie, until: number) => sealer.seal(encodeSessionCookie(content), until);

  const sealRecord = (record: SessionRecord): Promise<string> => {
    const value = sealed.get(record) ?? seal({ kind: 'session', record }, sessionEnd(record, env.session));
    sealed.set(record, value);
    return value;
  };

  const open = async (value: string): Promise<Opened | null> => {
    const unsealed = await sealer.open(value, clock());
    const content = unsealed.state === 'unreadable' ? null : decodeSessionCookie(unsealed.body);
    if (!content || unsealed.state === 'unreadable') return null;
    const found = { value, content, expiresAt: unsealed.expiresAt };
    if (content.kind === 'session') opened.set(value.slice(-KEY_LENGTH), found);
    return found;
  };

  const write = (request: CookieSource, cookies: ResponseCookies, value: string, keptUntil: number): void => {
    const seconds = Math.max(1, Math.ceil((keptUntil - clock()) / 1000));
    writeChunkedCookie(request, cookies, name, value, { ...attributes, maxAge: seconds });
  };

  return {
    async read(request) {
      const value = readChunkedCookie(request, name);
      if (value === null) return { state: hasChunkedCookie(request, name) ? 'unreadable' : 'none' };
      const now = clock();
      const known = openedAs(value) ?? (await open(value));
      if (!known) return { state: 'unreadable' };
      const { content, expiresAt } = known;
      const isOver = now >= expiresAt;
      if (content.kind === 'ended') return { state: isOver ? 'unreadable' : 'ended' };
      // The limits may have been shortened since it was sealed.
      if (isOver || now >= sessionEnd(content.record, env.session)) return { state: 'over' };
      return { state: 'open', record: content.record };
    },

    async write(request, cookies, record) {
      // Longer than the idle time, so that a visitor who comes back late can be told why.
      write(request, cookies, await sealRecord(record), record.startedAt + maxAge * 1000);
    },

    async writeEnded(request, cookies) {
      const until = clock() + ENDED_MS;
      write(request, cookies, await seal({ kind: 'ended' }, until), until);
    },

    clear: (request, cookies) => deleteChunkedCookie(request, cookies, name, attributes),
  };
}

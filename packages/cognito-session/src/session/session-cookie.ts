/** Reads and writes the session cookie: sealed, chunked, with the configured attributes. */

import { LRUCache } from 'lru-cache';
import type { Clock } from '#upstream';
import {
  chunkNames,
  deleteChunkedCookie,
  hasChunkedCookie,
  readChunkedCookie,
  writeChunkedCookie,
} from '../cookies/chunked-cookie.ts';
import {
  type CookieAttributes,
  type CookieSource,
  type ResponseCookies,
  readCookies,
} from '../cookies/cookie-jar.ts';
import { type CookieSealer, cookieName, createCookieSealer, looksSealed } from '../cookies/sealed-cookie.ts';
import type { Settings } from '../settings.ts';
import {
  decodeSessionCookie,
  encodeSessionCookie,
  type SessionCookieContent,
  type SessionRecord,
  sessionEnd,
} from './session-record.ts';

/**
 * `none`: no cookie, or one that this site has not set. `expired`: a session that is too old or was idle for too long.
 * `ended`: the mark of a session that has ended.
 */
type ReceivedCookie =
  | { state: 'none' | 'unreadable' | 'expired' | 'ended' }
  | { state: 'open'; record: SessionRecord };

type SessionCookieDeps = { env: Pick<Settings, 'session'>; clock: Clock };

/** A cookie value that was decrypted. `expiresAt` is in milliseconds. */
type OpenedCookie = { value: string; content: SessionCookieContent; expiresAt: number };

const ENDED_MS = 60 * 60 * 1000;

/** About 1,500 sessions with tokens of the usual size. A character of the value and its opened content are 2 bytes. */
const MAX_CACHE_BYTES = 16 * 1024 * 1024;
const BYTES_PER_CHARACTER = 2;

/** The cache key is the end of the value, which contains the 128 bits of the authentication tag. A whole value is long. */
const CACHE_KEY_LENGTH = 22;

/** The session cookie, with the secrets, limits and attributes that `env` configures. */
export class SessionCookie {
  readonly #name: string;
  readonly #attributes: CookieAttributes;
  readonly #sealer: CookieSealer;
  /** Decryption is the most expensive step of most requests. */
  readonly #opened = new LRUCache<string, OpenedCookie>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ value }) => value.length * BYTES_PER_CHARACTER,
  });
  /** Each record is sealed once: all requests that waited for one refresh write the same record. */
  readonly #sealed = new WeakMap<SessionRecord, Promise<string>>();

  constructor(private readonly deps: SessionCookieDeps) {
    const { secure, sameSite } = deps.env.session;
    this.#name = cookieName('session', secure);
    this.#attributes = { httpOnly: true, secure, sameSite };
    this.#sealer = createCookieSealer(deps.env.session, this.#name);
  }

  /** Reads the cookie. The limits of `env` may be shorter than when it was sealed. Never rejects. */
  async read(request: CookieSource): Promise<ReceivedCookie> {
    const { env, clock } = this.deps;
    const value = readChunkedCookie(request, this.#name);
    if (value === null) return { state: hasChunkedCookie(request, this.#name) ? 'unreadable' : 'none' };
    const now = clock();
    const opened = await this.#open(value, now);
    if (!opened) return { state: this.#isForeign(request, value) ? 'none' : 'unreadable' };
    const { content, expiresAt } = opened;
    const isExpired = now >= expiresAt;
    if (content.kind === 'ended') return { state: isExpired ? 'unreadable' : 'ended' };
    if (isExpired || now >= sessionEnd(content.record, env.session)) return { state: 'expired' };
    return { state: 'open', record: content.record };
  }

  /** Applications on other ports of a host share its cookies, and may have one of this name: it is not deleted. */
  #isForeign(request: CookieSource, value: string): boolean {
    const [, ...others] = chunkNames(this.#name);
    return !looksSealed(value) && !readCookies(request).names.some((name) => others.includes(name));
  }

  /** Decrypts a cookie value, or returns its cached content; null if it is unreadable. */
  async #open(value: string, now: number): Promise<OpenedCookie | null> {
    const cacheKey = value.slice(-CACHE_KEY_LENGTH);
    const cached = this.#opened.get(cacheKey);
    if (cached?.value === value) return cached;
    const unsealed = await this.#sealer.open(value, now);
    if (unsealed.state === 'unreadable') return null;
    const content = decodeSessionCookie(unsealed.body);
    if (!content) return null;
    const opened = { value, content, expiresAt: unsealed.expiresAt };
    this.#opened.set(cacheKey, opened);
    return opened;
  }

  /** Writes a session. Rejects with a `RangeError` if the tokens are too long for cookies. */
  async write(request: CookieSource, cookies: ResponseCookies, record: SessionRecord): Promise<void> {
    const { maxAge } = this.deps.env.session;
    // Longer than the idle time, so that a visitor who returns too late sees that the session has ended.
    this.#set(request, cookies, await this.#seal(record), record.startedAt + maxAge * 1000);
  }

  #seal(record: SessionRecord): Promise<string> {
    const seal = () =>
      this.#sealer.seal(
        encodeSessionCookie({ kind: 'session', record }),
        sessionEnd(record, this.deps.env.session),
      );
    const value = this.#sealed.get(record) ?? seal();
    this.#sealed.set(record, value);
    return value;
  }

  /** Replaces the session by a small mark that says that it has ended. The mark expires after an hour. */
  async writeEnded(request: CookieSource, cookies: ResponseCookies): Promise<void> {
    const until = this.deps.clock() + ENDED_MS;
    const value = await this.#sealer.seal(encodeSessionCookie({ kind: 'ended' }), until);
    this.#set(request, cookies, value, until);
  }

  #set(request: CookieSource, cookies: ResponseCookies, value: string, until: number): void {
    const maxAge = Math.ceil((until - this.deps.clock()) / 1000);
    writeChunkedCookie(request, cookies, this.#name, value, { ...this.#attributes, maxAge });
  }

  /** Deletes the cookie. */
  clear(request: CookieSource, cookies: ResponseCookies): void {
    deleteChunkedCookie(request, cookies, this.#name, this.#attributes);
  }
}

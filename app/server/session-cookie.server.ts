/** The session cookie on its way in and out: sealed, split, with the attributes that configuration asks for. */
import {
  deleteChunkedCookie,
  hasChunkedCookie,
  readChunkedCookie,
  writeChunkedCookie,
} from './chunked-cookie.server.ts';
import type { Clock } from './clock.server.ts';
import type { Env } from './env.server.ts';
import type { CookieAttributes, ResponseCookies } from './response-cookies.server.ts';
import { cookieName, createCookieSealer } from './sealed-cookie.server.ts';
import {
  decodeSessionCookie,
  encodeSessionCookie,
  type SessionCookie,
  type SessionRecord,
  sessionEnd,
} from './session-record.server.ts';

/** What a request brought. `over` is a genuine session that is too old, or was idle for too long. */
export type ReceivedCookie =
  | { state: 'none' | 'unreadable' | 'over' | 'ended' }
  | { state: 'open'; record: SessionRecord };

export type SessionCookies = {
  read(request: Request): Promise<ReceivedCookie>;
  /** Throws a `RangeError` when the tokens are too big for cookies. */
  write(request: Request, cookies: ResponseCookies, record: SessionRecord): Promise<void>;
  /** Puts a small mark in the session's place that says that there was one. It stays for an hour. */
  writeEnded(request: Request, cookies: ResponseCookies): Promise<void>;
  clear(request: Request, cookies: ResponseCookies): void;
};

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

  const write = async (
    request: Request,
    cookies: ResponseCookies,
    content: SessionCookie,
    { sealedUntil, keptUntil }: { sealedUntil: number; keptUntil: number },
  ): Promise<void> => {
    const value = await sealer.seal(encodeSessionCookie(content), sealedUntil);
    const seconds = Math.max(1, Math.ceil((keptUntil - clock()) / 1000));
    writeChunkedCookie(request, cookies, name, value, { ...attributes, maxAge: seconds });
  };

  return {
    async read(request) {
      const value = readChunkedCookie(request, name);
      if (value === null) return { state: hasChunkedCookie(request, name) ? 'unreadable' : 'none' };
      const now = clock();
      const unsealed = await sealer.open(value, now);
      const content = unsealed.state === 'unreadable' ? null : decodeSessionCookie(unsealed.body);
      if (!content) return { state: 'unreadable' };
      const isOver = unsealed.state === 'expired';
      if (content.kind === 'ended') return { state: isOver ? 'unreadable' : 'ended' };
      // The limits may have been shortened since it was sealed.
      if (isOver || now >= sessionEnd(content.record, env.session)) return { state: 'over' };
      return { state: 'open', record: content.record };
    },

    write: (request, cookies, record) =>
      write(
        request,
        cookies,
        { kind: 'session', record },
        {
          sealedUntil: sessionEnd(record, env.session),
          // Longer than the idle time, so that a visitor who comes back late can be told why.
          keptUntil: record.startedAt + maxAge * 1000,
        },
      ),

    writeEnded(request, cookies) {
      const until = clock() + ENDED_MS;
      return write(request, cookies, { kind: 'ended' }, { sealedUntil: until, keptUntil: until });
    },

    clear: (request, cookies) => deleteChunkedCookie(request, cookies, name, attributes),
  };
}

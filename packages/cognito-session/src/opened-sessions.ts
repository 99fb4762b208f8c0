/**
 * The sessions of the requests in progress. Remix gives each loader of a request its own `Request`, and all of them the
 * same load context: the session is opened once for them, so that the response has its cookie once.
 */
import { type CookieSource, createResponseCookies, type ResponseCookies } from './cookies/cookie-jar.ts';
import type { Session, Sessions } from './session/session.ts';

type OpenedSession = { session: Session; cookies: ResponseCookies };

type Entry = { opened: Promise<OpenedSession>; handlers: number };

type HandlerSource = { request: CookieSource; context: object };

export class OpenedSessions {
  /** By load context and `Cookie` header: a server may give all requests the same context. */
  readonly #entries = new WeakMap<object, Map<string, Entry>>();

  constructor(private readonly sessions: Pick<Sessions, 'open'>) {}

  /** Calls `handle` with the session of the request, and returns its result. */
  async run<Result>(
    { request, context }: HandlerSource,
    handle: (opened: OpenedSession) => Promise<Result>,
  ): Promise<Result> {
    const cookie = request.headers.get('cookie') ?? '';
    const entries = this.#entries.get(context) ?? new Map<string, Entry>();
    this.#entries.set(context, entries);
    const entry = entries.get(cookie) ?? { opened: this.#open(request), handlers: 0 };
    entries.set(cookie, entry);
    entry.handlers += 1;
    try {
      return await handle(await entry.opened);
    } finally {
      entry.handlers -= 1;
      // The loaders of a document start in the same round of the event loop in which its action ends.
      setImmediate(() => {
        if (entry.handlers === 0 && entries.get(cookie) === entry) entries.delete(cookie);
      });
    }
  }

  async #open(request: CookieSource): Promise<OpenedSession> {
    const cookies = createResponseCookies();
    return { session: await this.sessions.open(request, cookies), cookies };
  }
}

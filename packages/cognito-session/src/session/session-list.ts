/**
 * The list of a user's sessions, which a shared store holds: each session is in its own cookie, so that no machine knows
 * the others without it. The store gets sealed entries only.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Clock, parseJson } from '#upstream';
import { type CookieSealer, createCookieSealer } from '../cookies/sealed-cookie.ts';
import type { Settings } from '../settings.ts';
import type { SharedStore } from '../shared-store/shared-store.ts';
import { type BrowserFamilies, familiesSchema } from './browser-family.ts';
import type { ClosedSessions } from './closed-sessions.ts';
import type { EndedSessions } from './ended-sessions.ts';
import { type SessionRecord, sessionEnd } from './session-record.ts';

/** A session as its user sees it. Times are in milliseconds. */
export type SessionInfo = BrowserFamilies & {
  /** Names the session for `endOther`. It is a hash of the session's random id, and no credential. */
  handle: string;
  startedAt: number;
  /** Of a session in another browser, up to ten minutes old. */
  lastActiveAt: number;
  isCurrent: boolean;
};

/** A session with the families of its browser. */
export type ListedSession = SessionRecord & { families: BrowserFamilies };

const entrySchema = familiesSchema.extend({
  id: z.string(),
  sub: z.string(),
  startedAt: z.number(),
  seenAt: z.number(),
  endsAt: z.number(),
});
type Entry = z.infer<typeof entrySchema>;

/** How often a session in use is written. */
const SEEN_INTERVAL_MS = 10 * 60 * 1000;
/** About 5 MB. A session that was dropped is written once more. */
const MAX_SEEN = 50_000;
/** Of more sessions of a user, those that were not active for the longest time end. */
const MAX_SESSIONS = 100;

type SessionListDeps = {
  env: Pick<Settings, 'session'>;
  store: Pick<SharedStore, 'entries'>;
  clock: Clock;
  ended: Pick<EndedSessions, 'has'>;
  closed: Pick<ClosedSessions, 'isClosed' | 'endElsewhere'>;
};

/** Returns the handle of a session. The id has 128 random bits and cannot be computed from it. */
function sessionHandle(id: string): string {
  return hash('sha256', `handle of session ${id}`, 'base64url').slice(0, 22);
}

export class SessionList {
  readonly #sealer: CookieSealer;
  /** When this process last wrote the entry of a session. */
  readonly #seen: LRUCache<string, number>;

  constructor(private readonly deps: SessionListDeps) {
    this.#sealer = createCookieSealer(deps.env.session, 'shared session entry');
    this.#seen = new LRUCache({ maxSize: MAX_SEEN, sizeCalculation: () => 1 });
  }

  /** Notes that a session is in use, every ten minutes. Never rejects, and no request waits for it. */
  async saw(session: ListedSession): Promise<void> {
    const { store, clock, env } = this.deps;
    const now = clock();
    const seenAt = this.#seen.get(session.id);
    if (store.entries === null || (seenAt !== undefined && now - seenAt < SEEN_INTERVAL_MS)) return;
    this.#seen.set(session.id, now);
    const { id, user, startedAt, families } = session;
    const endsAt = sessionEnd(session, env.session);
    const entry: Entry = { id, sub: user.sub, startedAt, seenAt: now, endsAt, ...families };
    const text = await this.#sealer.seal(Buffer.from(JSON.stringify(entry)), endsAt);
    const keepMs = env.session.maxAge * 1000;
    const isWritten = await store.entries.put(groupOf(user.sub), sessionHandle(id), text, keepMs);
    if (!isWritten) this.#seen.delete(id);
    else if (seenAt === undefined) await this.#endSurplus(user.sub);
  }

  /** Removes a session that has ended. Never rejects. */
  async remove({ id, user }: Pick<SessionRecord, 'id' | 'user'>): Promise<void> {
    this.#seen.delete(id);
    await this.deps.store.entries?.remove(groupOf(user.sub), sessionHandle(id));
  }

  /**
   * Returns the sessions of the user: the current one, then the others, the last active first. `seesAllSessions` is false
   * without a shared store, and while it does not respond: then only the current one is known.
   */
  async list(current: ListedSession): Promise<{ sessions: SessionInfo[]; seesAllSessions: boolean }> {
    const others = await this.#others(current);
    const { startedAt, families } = current;
    const own = {
      handle: sessionHandle(current.id),
      startedAt,
      lastActiveAt: this.deps.clock(),
      ...families,
    };
    const infos = (others ?? []).map(({ id, startedAt, seenAt, browser, system }) => ({
      ...{ handle: sessionHandle(id), startedAt, lastActiveAt: seenAt, browser, system },
      isCurrent: false,
    }));
    return { sessions: [{ ...own, isCurrent: true }, ...infos], seesAllSessions: others !== null };
  }

  /** Ends another session of the user. Returns false if there is none with this handle, or the store does not respond. */
  async endOther(current: ListedSession, handle: string): Promise<boolean> {
    const others = await this.#others(current);
    const other = others?.find(({ id }) => sessionHandle(id) === handle);
    if (other) await this.#end(other);
    return other !== undefined;
  }

  /** Ends all other sessions of the user, and returns how many. Null: there is no store, or it does not respond. */
  async endOthers(current: ListedSession): Promise<number | null> {
    const others = await this.#others(current);
    await Promise.all((others ?? []).map((entry) => this.#end(entry)));
    return others?.length ?? null;
  }

  async #end({ id, sub }: Entry): Promise<void> {
    await this.deps.closed.endElsewhere(id);
    await this.deps.store.entries?.remove(groupOf(sub), sessionHandle(id));
  }

  async #others({ id, user }: ListedSession): Promise<Entry[] | null> {
    const entries = await this.#entries(user.sub);
    return entries?.filter((entry) => entry.id !== id) ?? null;
  }

  async #endSurplus(sub: string): Promise<void> {
    const surplus = (await this.#entries(sub))?.slice(MAX_SESSIONS) ?? [];
    await Promise.all(surplus.map((entry) => this.#end(entry)));
  }

  /** The sessions that have not ended, the last active first. Removes what is no such session. */
  async #entries(sub: string): Promise<Entry[] | null> {
    const { entries } = this.deps.store;
    const stored = (await entries?.list(groupOf(sub))) ?? null;
    if (!entries || stored === null) return null;
    const live: Entry[] = [];
    await Promise.all(
      stored.map(async ({ name, text }) => {
        const entry = await this.#open(text, sub);
        if (entry && sessionHandle(entry.id) === name && !(await this.#hasEnded(entry))) live.push(entry);
        else await entries.remove(groupOf(sub), name);
      }),
    );
    return live.toSorted((a, b) => b.seenAt - a.seenAt);
  }

  /** Returns null unless the text is an entry of this user that was sealed with one of this app's secrets. */
  async #open(text: string, sub: string): Promise<Entry | null> {
    const unsealed = await this.#sealer.open(text, this.deps.clock());
    if (unsealed.state !== 'open') return null;
    const entry = entrySchema.safeParse(parseJson(Buffer.from(unsealed.body).toString())).data;
    return entry?.sub === sub ? entry : null;
  }

  async #hasEnded({ id, sub, startedAt }: Entry): Promise<boolean> {
    const { ended, closed } = this.deps;
    return (await ended.has({ startedAt, user: { sub } })) || (await closed.isClosed(id));
  }
}

function groupOf(sub: string): string {
  return `sessions of ${sub}`;
}

/** The list of messages as it is loaded, with what has happened since. */
import type { Message } from '../message-outcome.ts';

/** `round`: how often the list had to be loaded again before the event. */
type NewMessage = Message & { round: number };

export type LiveList = {
  created: readonly NewMessage[];
  deleted: ReadonlySet<string>;
  round: number;
};

export type LiveChange =
  | { type: 'created'; message: Message }
  | { type: 'deleted'; id: string }
  | { type: 'gap' }
  | { type: 'loaded'; ids: readonly string[] };

export const unchanged: LiveList = { created: [], deleted: new Set(), round: 0 };

/** The next state. What a list that was loaded after a gap does not contain was deleted meanwhile, unless it is newer. */
export function changeList(list: LiveList, change: LiveChange): LiveList {
  const { created, deleted, round } = list;
  switch (change.type) {
    case 'created':
      if (created.some(({ id }) => id === change.message.id)) return list;
      return { ...list, created: [...created, { ...change.message, round }] };
    case 'deleted':
      return {
        ...list,
        created: created.filter(({ id }) => id !== change.id),
        deleted: new Set(deleted).add(change.id),
      };
    case 'gap':
      return { ...list, round: round + 1 };
    case 'loaded': {
      const ids = new Set(change.ids);
      return {
        ...list,
        created: created.filter((message) => message.round === round && !ids.has(message.id)),
      };
    }
  }
}

/** The messages to show, newest first. Those of `created` with the text that is being sent wait until it was sent. */
export function mergeLists(
  listed: readonly Message[],
  { created, deleted }: LiveList,
  sending: string | null,
): readonly Message[] {
  const ids = new Set(listed.map(({ id }) => id));
  const others = created.filter(({ id, content }) => !ids.has(id) && content !== sending);
  if (others.length === 0 && deleted.size === 0) return listed;
  return (
    [...others, ...listed]
      .filter(({ id }) => !deleted.has(id))
      // Ids are ULIDs, which sort by time.
      .sort((a, b) => (a.id < b.id ? 1 : -1))
  );
}

/** The change that an event of the stream reports. What cannot be read is a gap. */
export function parseChange({ type, data }: { type: string; data: string }): LiveChange {
  try {
    const { id, content, createdAt, author }: Record<string, unknown> = JSON.parse(data);
    if (type === 'deleted' && typeof id === 'string') return { type, id };
    const isText = [id, content, createdAt, author].every((value) => typeof value === 'string');
    if (type !== 'created' || !isText) return { type: 'gap' };
    const texts = { id: String(id), content: String(content), createdAt: String(createdAt) };
    return { type, message: { ...texts, author: String(author), mine: false, canDelete: false } };
  } catch {
    return { type: 'gap' };
  }
}

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../http/exchange.ts';
import type { Store } from '../storage/store.ts';

const storedMessage = z.object({
  id: z.string(),
  /** A number that increases with every message. Pages are defined by it. */
  sequence: z.number(),
  /** The author's `sub`. */
  author: z.string(),
  content: z.string(),
  /** An `AWSDateTime`: ISO 8601 with milliseconds, in UTC. */
  createdAt: z.string(),
});
export type StoredMessage = z.infer<typeof storedMessage>;

type MessagePage = {
  /** Newest first. */
  messages: StoredMessage[];
  /** The value of `before` for the next page, or null on the last page. */
  next: number | null;
};

export type MessageStore = {
  /** Returns up to `limit` messages with a sequence number below `before`, or the newest ones for null. */
  page(limit: number, before: number | null): MessagePage;
  add(author: string, content: string): StoredMessage;
  find(id: string): StoredMessage | undefined;
  remove(id: string): void;
};

/** The oldest messages are deleted beyond this number. */
const MAX_MESSAGES = 1_000;

/** Opens the stored messages of the data API. */
export function openMessageStore(store: Store, clock: Clock): MessageStore {
  const section = store.section({
    name: 'messages',
    schema: z.object({ nextSequence: z.number(), messages: z.array(storedMessage) }),
    initial: () => ({ nextSequence: 1, messages: [] }),
  });
  return {
    page(limit, before) {
      const older = section.value.messages.filter(({ sequence }) => before === null || sequence < before);
      const messages = older.slice(-limit).reverse();
      const last = messages.at(-1);
      return { messages, next: last && older.length > limit ? last.sequence : null };
    },
    add(author, content) {
      return section.change((table) => {
        const createdAt = new Date(clock()).toISOString();
        const message = { id: randomUUID(), sequence: table.nextSequence, author, content, createdAt };
        table.nextSequence += 1;
        table.messages.push(message);
        table.messages.splice(0, table.messages.length - MAX_MESSAGES);
        return message;
      });
    },
    find: (id) => section.value.messages.find((message) => message.id === id),
    remove(id) {
      section.change((table) => {
        table.messages = table.messages.filter((message) => message.id !== id);
      });
    },
  };
}

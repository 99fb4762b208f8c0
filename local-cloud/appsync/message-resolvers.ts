import { z } from 'zod';
import type { Resolvers } from './api-schema.ts';
import { FieldError } from './appsync-errors.ts';
import type { MessageStore, StoredMessage } from './message-store.ts';

const MAX_CODE_POINTS = 500;
const MAX_PAGE = 50;
const DEFAULT_PAGE = 20;

const limit = z
  .int()
  .refine((value) => value >= 1 && value <= MAX_PAGE, `limit must be 1 to ${MAX_PAGE}.`)
  .nullish()
  .transform((value) => value ?? DEFAULT_PAGE);

/** What `nextToken` holds is nobody's business but this file's. */
const nextToken = z
  .string()
  .transform((token) => Buffer.from(token, 'base64url').toString())
  .refine((decoded) => /^\d{1,15}$/.test(decoded), 'Invalid pagination token given.')
  .transform(Number)
  .nullish()
  .transform((value) => value ?? null);

const content = z
  .string()
  .trim()
  .refine(
    (text) => text !== '' && [...text].length <= MAX_CODE_POINTS,
    `content must have 1 to ${MAX_CODE_POINTS} characters.`,
  );

const listArguments = z.object({ limit, nextToken });
const createArguments = z.object({ content });
const deleteArguments = z.object({ id: z.string() });

/** What the fields of `schema.graphql` do. A `ZodError` means that the arguments are not what the field takes. */
export function createMessageResolvers(store: MessageStore): Resolvers {
  return {
    Query: {
      listMessages(given, { sub }) {
        const { limit, nextToken } = listArguments.parse(given);
        const { messages, next } = store.page(limit, nextToken);
        return {
          items: messages.map((message) => present(message, sub)),
          nextToken: next === null ? null : Buffer.from(String(next)).toString('base64url'),
        };
      },
    },
    Mutation: {
      createMessage(given, { sub }) {
        return present(store.add(sub, createArguments.parse(given).content), sub);
      },
      deleteMessage(given, { sub }) {
        const { id } = deleteArguments.parse(given);
        const message = store.find(id);
        if (!message) throw new FieldError('NotFound', 'There is no such message.');
        if (message.author !== sub)
          throw new FieldError('Unauthorized', 'Only its author can delete a message.');
        store.remove(id);
        return present(message, sub);
      },
    },
  };
}

function present({ id, content, createdAt, author }: StoredMessage, caller: string): Record<string, unknown> {
  return { id, content, createdAt, mine: author === caller };
}

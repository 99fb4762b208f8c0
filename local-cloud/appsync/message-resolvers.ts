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

/**
 * The pagination token is the sequence number of the last message on a page, in base64url. It is opaque to
 * clients.
 */
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

/**
 * Returns the resolvers for `schema.graphql`. They throw `FieldError`, or `ZodError` when an argument is not
 * valid.
 */
export function createMessageResolvers(store: MessageStore): Resolvers {
  return {
    Query: {
      listMessages(args, { sub }) {
        const { limit, nextToken } = listArguments.parse(args);
        const { messages, next } = store.page(limit, nextToken);
        return {
          items: messages.map((message) => toMessage(message, sub)),
          nextToken: next === null ? null : Buffer.from(String(next)).toString('base64url'),
        };
      },
    },
    Mutation: {
      createMessage(args, { sub }) {
        return toMessage(store.add(sub, createArguments.parse(args).content), sub);
      },
      deleteMessage(args, { sub }) {
        const { id } = deleteArguments.parse(args);
        const message = store.find(id);
        if (!message) throw new FieldError('NotFound', 'There is no such message.');
        if (message.author !== sub)
          throw new FieldError('Unauthorized', 'Only its author can delete a message.');
        store.remove(id);
        return toMessage(message, sub);
      },
    },
  };
}

function toMessage(
  { id, content, createdAt, author }: StoredMessage,
  caller: string,
): Record<string, unknown> {
  return { id, content, createdAt, mine: author === caller };
}

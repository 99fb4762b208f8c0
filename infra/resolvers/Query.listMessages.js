/**
 * Lists messages, newest first. A page token is the id of the last message on the page before: it is short, does not
 * expire, and stays valid when that message is deleted.
 */
import { util } from '@aws-appsync/utils';
import { callerSub, pseudonymOf } from './author.js';

/** A ULID: 48 bits of time and 80 random bits in Crockford's base 32. Ids sort by time. */
const MESSAGE_ID = '^[0-9A-HJKMNP-TV-Z]{26}$';
/** The greatest ULID. Its time is in the year 10889. */
const LAST_ID = '7ZZZZZZZZZZZZZZZZZZZZZZZZZ';

/**
 * Checks the arguments for both functions, which look for one message more than the page holds. It shows whether there is
 * a next page.
 * @param {import('@aws-appsync/utils').Context} ctx
 */
export function request(ctx) {
  const sub = callerSub(ctx);
  if (!sub) util.unauthorized();
  const limit = ctx.args.limit ?? 20;
  if (limit < 1 || limit > 50) util.error('limit must be 1 to 50.', 'ValidationError');
  const before = ctx.args.nextToken ?? LAST_ID;
  if (!util.matches(MESSAGE_ID, before)) util.error('Invalid pagination token given.', 'ValidationError');
  ctx.stash.sub = sub;
  ctx.stash.limit = limit;
  ctx.stash.before = before;
  return {};
}

/** @param {import('@aws-appsync/utils').Context} ctx */
export function response(ctx) {
  const { sub, limit } = ctx.stash;
  /** @type {Record<string, string>[]} */
  const found = ctx.prev.result.items;
  const items = found.slice(0, limit).map((message) => ({
    id: message.id,
    content: message.content,
    createdAt: message.createdAt,
    mine: message.author === sub,
    author: pseudonymOf(message.author ?? ''),
  }));
  return { items, nextToken: found.length > limit ? found[limit - 1]?.id : null };
}

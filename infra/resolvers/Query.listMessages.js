/**
 * Lists messages, newest first. A page token is the id of the last message on the page before: it is short, does not
 * expire, and stays valid when that message is deleted.
 */
import { util } from '@aws-appsync/utils';

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

/**
 * Returns the user who calls, or undefined for guests and for other signers. User pool tokens provide `sub`. With IAM,
 * the provider of a user's credentials ends in `:CognitoSignIn:{sub}`, possibly in quotation marks. AppSync deploys each
 * resolver as one file, so every resolver has this function. A test compares the copies.
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference-js.html
 * @param {import('@aws-appsync/utils').Context} ctx
 * @returns {string | undefined}
 */
function callerSub(ctx) {
  // The type of `identity` does not distinguish the two authorization modes.
  const identity = /** @type {{ sub?: string, cognitoIdentityAuthProvider?: string }} */ (ctx.identity ?? {});
  return identity.sub ?? identity.cognitoIdentityAuthProvider?.split(':CognitoSignIn:')[1]?.split('"')[0];
}

/**
 * Returns the pseudonym of an author: a hash of the sub with 20 bits, as four characters of Crockford's base 32. The 122
 * random bits of a sub cannot be recovered from it. APPSYNC_JS has no cryptographic hash (record 024). Every resolver that
 * returns messages has this function. A test compares the copies.
 * @param {string} sub
 * @returns {string}
 */
function pseudonymOf(sub) {
  let hash = 0;
  // The second pass spreads the last characters of the sub over all bits.
  for (const character of (sub + sub).split('')) {
    // The greatest prime below 2^32, and a factor that keeps the product below 2^53, so that it is exact.
    hash = (hash * 65599 + '0123456789abcdef'.indexOf(character) + 1) % 4294967291;
  }
  const code = Math.floor(hash / 4096);
  const places = [32768, 1024, 32, 1];
  return places
    .map((place) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.charAt(Math.floor(code / place) % 32))
    .join('');
}

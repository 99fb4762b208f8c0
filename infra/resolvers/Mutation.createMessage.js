/** Stores a message of the caller. */
import { util } from '@aws-appsync/utils';

/**
 * 1 to 500 code points. The pattern counts a surrogate pair as one, whether the engine sees UTF-16 units or code points,
 * and rejects unpaired surrogates, which DynamoDB cannot store.
 */
const CONTENT = '^(?:[\\uD800-\\uDBFF][\\uDC00-\\uDFFF]|[^\\uD800-\\uDFFF]){1,500}$';

/**
 * The id is a ULID. Messages of one millisecond have a random but stable order. The condition prevents that a message
 * replaces another one with the same id.
 * @param {import('@aws-appsync/utils').Context} ctx
 * @returns {import('@aws-appsync/utils').DynamoDBPutItemRequest}
 */
export function request(ctx) {
  const author = callerSub(ctx);
  if (!author) util.unauthorized();
  const content = ctx.args.content.trim();
  if (!util.matches(CONTENT, content)) {
    util.error('content must have 1 to 500 characters.', 'ValidationError');
  }
  return {
    operation: 'PutItem',
    key: util.dynamodb.toMapValues({ feed: 'messages', id: util.autoUlid() }),
    attributeValues: util.dynamodb.toMapValues({ author, content, createdAt: util.time.nowISO8601() }),
    condition: { expression: 'attribute_not_exists(id)' },
  };
}

/** @param {import('@aws-appsync/utils').Context} ctx */
export function response(ctx) {
  if (ctx.error) util.error(ctx.error.message, ctx.error.type);
  const { id, content, createdAt, author } = ctx.result;
  return { id, content, createdAt, mine: true, author: pseudonymOf(author) };
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

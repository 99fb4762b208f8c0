/** Stores a message of the caller. */
import { util } from '@aws-appsync/utils';
import { callerSub, pseudonymOf } from './author.js';

/**
 * 1 to 500 code points. The pattern counts a surrogate pair as one, whether the engine sees UTF-16 units or code points,
 * and rejects unpaired surrogates, which DynamoDB cannot store.
 */
const CONTENT = '^(?:[\\uD800-\\uDBFF][\\uDC00-\\uDFFF]|[^\\uD800-\\uDFFF]){1,500}$';

/** At least one character that is neither white space nor without a width, such as U+200B. */
const VISIBLE =
  '^[\\s\\S]*[^\\u0000-\\u0020\\u007F-\\u00A0\\u00AD\\u034F\\u061C\\u115F\\u1160\\u1680\\u17B4\\u17B5\\u180B-\\u180F\\u2000-\\u200F\\u2028-\\u202F\\u205F-\\u206F\\u2800\\u3000\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0][\\s\\S]*$';

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
  if (!util.matches(CONTENT, content) || !util.matches(VISIBLE, content)) {
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

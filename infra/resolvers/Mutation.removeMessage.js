/**
 * Deletes any message, for administrators. The schema and the roles decide who may call it: a signed request shows a resolver
 * no groups.
 */
import { util } from '@aws-appsync/utils';
import { callerSub, pseudonymOf } from './author.js';

const MESSAGE_ID = '^[0-9A-HJKMNP-TV-Z]{26}$';

/**
 * @param {import('@aws-appsync/utils').Context} ctx
 * @returns {import('@aws-appsync/utils').DynamoDBDeleteItemRequest}
 */
export function request(ctx) {
  if (!callerSub(ctx)) util.unauthorized();
  const { id } = ctx.args;
  if (!util.matches(MESSAGE_ID, id)) util.error('There is no such message.', 'NotFound');
  return { operation: 'DeleteItem', key: util.dynamodb.toMapValues({ feed: 'messages', id }) };
}

/** @param {import('@aws-appsync/utils').Context} ctx */
export function response(ctx) {
  if (ctx.error) util.error(ctx.error.message, ctx.error.type);
  if (!ctx.result) util.error('There is no such message.', 'NotFound');
  const { id, content, createdAt, author } = ctx.result;
  return { id, content, createdAt, mine: author === callerSub(ctx), author: pseudonymOf(author) };
}

/** Deletes one of the caller's own messages. */
import { util } from '@aws-appsync/utils';
import { callerSub, pseudonymOf } from './author.js';

const MESSAGE_ID = '^[0-9A-HJKMNP-TV-Z]{26}$';
const CONDITION_FAILED = 'DynamoDB:ConditionalCheckFailedException';

/**
 * The condition fails only for a message of another author. A message that does not exist passes it, and the result is
 * then empty.
 * @param {import('@aws-appsync/utils').Context} ctx
 * @returns {import('@aws-appsync/utils').DynamoDBDeleteItemRequest}
 */
export function request(ctx) {
  const caller = callerSub(ctx);
  if (!caller) util.unauthorized();
  const { id } = ctx.args;
  if (!util.matches(MESSAGE_ID, id)) util.error('There is no such message.', 'NotFound');
  return {
    operation: 'DeleteItem',
    key: util.dynamodb.toMapValues({ feed: 'messages', id }),
    condition: {
      expression: 'attribute_not_exists(id) OR author = :caller',
      expressionValues: util.dynamodb.toMapValues({ ':caller': caller }),
    },
  };
}

/** @param {import('@aws-appsync/utils').Context} ctx */
export function response(ctx) {
  if (ctx.error?.type === CONDITION_FAILED) {
    util.error('Only its author can delete a message.', 'Unauthorized');
  }
  if (ctx.error) util.error(ctx.error.message, ctx.error.type);
  if (!ctx.result) util.error('There is no such message.', 'NotFound');
  const { id, content, createdAt, author } = ctx.result;
  return { id, content, createdAt, mine: true, author: pseudonymOf(author) };
}

/** Gives a recipe of the caller a picture. */
import { util } from '@aws-appsync/utils';
import { recipes } from './recipes.js';
import { keyOf, mayChange, writtenOne } from './records.js';

/** 48 KiB in base64. */
const PICTURE = '^[A-Za-z0-9+/]{1,65536}={0,2}$';

/**
 * @param {import('@aws-appsync/utils').Context} ctx
 * @returns {import('@aws-appsync/utils').DynamoDBUpdateItemRequest}
 */
export function request(ctx) {
  const { id, picture } = ctx.args;
  if (!util.matches(PICTURE, picture)) util.error('picture must have 1 to 49152 bytes.', 'ValidationError');
  return {
    operation: 'UpdateItem',
    key: keyOf(recipes, id),
    update: {
      expression: 'SET picture = :picture',
      expressionValues: { ':picture': util.dynamodb.toBinary(picture) },
    },
    condition: mayChange(ctx, recipes),
  };
}

/** @param {import('@aws-appsync/utils').Context} ctx */
export function response(ctx) {
  return writtenOne(ctx);
}

/**
 * Deletes the records that were found. A batch has no condition. It needs none: the index lists the caller's records, and
 * the author of a record never changes. Records that DynamoDB does not process are found by the next call.
 */
import { runtime, util } from '@aws-appsync/utils';

/**
 * @param {import('@aws-appsync/utils').Context} ctx
 * @returns {import('@aws-appsync/utils').DynamoDBBatchDeleteItemRequest}
 */
export function request(ctx) {
  /** @type {Record<string, string>[]} */
  const keys = ctx.stash.keys;
  if (keys.length === 0) runtime.earlyReturn(null);
  return {
    operation: 'BatchDeleteItem',
    tables: { [ctx.env.MESSAGES_TABLE ?? '']: keys.map((key) => util.dynamodb.toMapValues(key)) },
  };
}

/** @param {import('@aws-appsync/utils').Context} ctx */
export function response(ctx) {
  if (ctx.error) util.error(ctx.error.message, ctx.error.type);
  return null;
}

/**
 * Reads a page of the index when the table has reached its throughput. The index is a copy with a throughput of its own,
 * a moment behind the table.
 */
import { runtime, util } from '@aws-appsync/utils';

/**
 * @param {import('@aws-appsync/utils').Context} ctx
 * @returns {import('@aws-appsync/utils').DynamoDBQueryRequest}
 */
export function request(ctx) {
  if (ctx.prev.result) runtime.earlyReturn(ctx.prev.result);
  const { before, limit } = ctx.stash;
  return {
    operation: 'Query',
    index: 'byFeed',
    query: {
      expression: 'feed = :feed AND id < :before',
      expressionValues: util.dynamodb.toMapValues({ ':feed': 'messages', ':before': before }),
    },
    limit: limit + 1,
    scanIndexForward: false,
  };
}

/** @param {import('@aws-appsync/utils').Context} ctx */
export function response(ctx) {
  if (ctx.error) util.error(ctx.error.message, ctx.error.type);
  return ctx.result;
}

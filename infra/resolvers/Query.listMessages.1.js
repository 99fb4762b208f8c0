/** Reads a page of the table. The read is consistent, so that authors see their new message. */
import { util } from '@aws-appsync/utils';

/**
 * @param {import('@aws-appsync/utils').Context} ctx
 * @returns {import('@aws-appsync/utils').DynamoDBQueryRequest}
 */
export function request(ctx) {
  const { before, limit } = ctx.stash;
  return {
    operation: 'Query',
    query: {
      expression: 'feed = :feed AND id < :before',
      expressionValues: util.dynamodb.toMapValues({ ':feed': 'messages', ':before': before }),
    },
    limit: limit + 1,
    scanIndexForward: false,
    consistentRead: true,
  };
}

/**
 * Returns null when DynamoDB rejects the read because the partition has reached its throughput. AppSync does not document
 * the type of that error, but DynamoDB its message.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
 * @param {import('@aws-appsync/utils').Context} ctx
 */
export function response(ctx) {
  if (!ctx.error) return ctx.result;
  if (ctx.error.message.toLowerCase().includes('throughput')) return null;
  util.error(ctx.error.message, ctx.error.type);
}

/** Finds records of the caller: as many as DynamoDB deletes in one request. */
import { util } from '@aws-appsync/utils';

const MAX_BATCH = 25;

/**
 * @param {import('@aws-appsync/utils').Context} ctx
 * @returns {import('@aws-appsync/utils').DynamoDBQueryRequest}
 */
export function request(ctx) {
  return {
    operation: 'Query',
    index: 'byAuthor',
    query: {
      expression: 'author = :author',
      expressionValues: util.dynamodb.toMapValues({ ':author': ctx.stash.sub }),
    },
    limit: MAX_BATCH,
  };
}

/** @param {import('@aws-appsync/utils').Context} ctx */
export function response(ctx) {
  if (ctx.error) util.error(ctx.error.message, ctx.error.type);
  /** @type {Record<string, string>[]} */
  const found = ctx.result.items;
  ctx.stash.keys = found.map(({ feed, id }) => ({ feed, id }));
  return null;
}

/**
 * AppSync's DynamoDB data source: converts requests of resolvers to calls of DynamoDB, and its responses to results.
 * https://docs.aws.amazon.com/appsync/latest/devguide/js-resolver-reference-dynamodb.html
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { DynamoDbCall } from '../dynamodb/dynamodb-client.ts';
import { messagesTable } from '../dynamodb/messages-table.ts';
import { AwsError } from '../http/aws-json.ts';
import { fromItem, type Item, itemSchema } from './attribute-values.ts';
import { DataSourceRole } from './data-source-role.ts';
import { createPageToken, parsePageToken } from './page-tokens.ts';
import type { DataSourceOutcome } from './resolver-context.ts';

/** Executes the request that a resolver returns. Throws when the local cloud does not support the request. */
export type DataSource = (request: unknown) => Promise<DataSourceOutcome>;

const expressionSchema = z.strictObject({
  expression: z.string(),
  expressionNames: z.record(z.string(), z.string()).optional(),
  expressionValues: itemSchema.optional(),
});
type Expression = z.infer<typeof expressionSchema>;

const requestSchema = z.discriminatedUnion('operation', [
  z.strictObject({
    operation: z.literal('GetItem'),
    key: itemSchema,
    consistentRead: z.boolean().default(false),
  }),
  z.strictObject({
    operation: z.literal('PutItem'),
    key: itemSchema,
    attributeValues: itemSchema,
    condition: expressionSchema.optional(),
  }),
  z.strictObject({
    operation: z.literal('DeleteItem'),
    key: itemSchema,
    condition: expressionSchema.optional(),
  }),
  z.strictObject({
    operation: z.literal('BatchDeleteItem'),
    tables: z.record(z.literal(messagesTable.TableName), z.array(itemSchema).min(1).max(25)),
  }),
  z.strictObject({
    operation: z.literal('Query'),
    index: z.string().optional(),
    query: expressionSchema,
    limit: z.int().positive().optional(),
    nextToken: z.string().nullish(),
    scanIndexForward: z.boolean().default(true),
    consistentRead: z.boolean().default(false),
  }),
]);
type Request<Operation extends string> = Extract<z.infer<typeof requestSchema>, { operation: Operation }>;

const { TableName } = messagesTable;

/** Returns the data source for the table of messages. Each call is made with the permissions of the template's role. */
export function createDynamoDbDataSource(call: DynamoDbCall): DataSource {
  let role: DataSourceRole | undefined;
  const callWithRole: DynamoDbCall = async (operation, values) => {
    role ??= new DataSourceRole();
    role.authorize(operation, values);
    return call(operation, values);
  };
  return async (input) => {
    const request = requestSchema.parse(input);
    try {
      return { result: await execute(request, callWithRole) };
    } catch (error) {
      if (error instanceof AwsError) return { result: null, error: describeError(error) };
      throw error;
    }
  };
}

function execute(request: z.infer<typeof requestSchema>, call: DynamoDbCall): Promise<unknown> {
  switch (request.operation) {
    case 'GetItem':
      return getItem(request.key, request.consistentRead, call);
    case 'PutItem':
      return putItem(request, call);
    case 'DeleteItem':
      return deleteItem(request, call);
    case 'BatchDeleteItem':
      return batchDeleteItem(request, call);
    case 'Query':
      return query(request, call);
  }
}

async function getItem(Key: Item, ConsistentRead: boolean, call: DynamoDbCall): Promise<unknown> {
  const response = await call('GetItem', { TableName, Key, ConsistentRead });
  const { Item } = z.object({ Item: itemSchema.optional() }).parse(response);
  return Item ? fromItem(Item) : null;
}

/** A put whose condition fails is successful if the same item is stored already. */
async function putItem(
  { key, attributeValues, condition }: Request<'PutItem'>,
  call: DynamoDbCall,
): Promise<unknown> {
  const Item = { ...attributeValues, ...key };
  const result = fromItem(Item);
  try {
    await call('PutItem', { TableName, Item, ...conditionInput(condition) });
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    if (!isDeepStrictEqual(await getItem(key, true, call), result)) throw error;
  }
  return result;
}

/** A deletion whose condition fails is successful if the item does not exist. */
async function deleteItem({ key, condition }: Request<'DeleteItem'>, call: DynamoDbCall): Promise<unknown> {
  const input = { TableName, Key: key, ReturnValues: 'ALL_OLD', ...conditionInput(condition) };
  try {
    const { Attributes } = z
      .object({ Attributes: itemSchema.optional() })
      .parse(await call('DeleteItem', input));
    return Attributes ? fromItem(Attributes) : null;
  } catch (error) {
    if (!isConditionFailure(error) || (await getItem(key, true, call)) !== null) throw error;
    return null;
  }
}

async function batchDeleteItem({ tables }: Request<'BatchDeleteItem'>, call: DynamoDbCall): Promise<unknown> {
  const keys = tables[TableName] ?? [];
  const deletions = keys.map((Key) => ({ DeleteRequest: { Key } }));
  await call('BatchWriteItem', { RequestItems: { [TableName]: deletions } });
  return { data: { [TableName]: keys.map(fromItem) }, unprocessedKeys: { [TableName]: [] } };
}

const querySchema = z.object({
  Items: z.array(itemSchema),
  ScannedCount: z.number(),
  LastEvaluatedKey: itemSchema.optional(),
});

async function query(request: Request<'Query'>, call: DynamoDbCall): Promise<unknown> {
  const response = await call('Query', {
    TableName,
    ...(request.index === undefined ? {} : { IndexName: request.index }),
    KeyConditionExpression: request.query.expression,
    ...expressionInput(request.query),
    ...(request.limit === undefined ? {} : { Limit: request.limit }),
    ...(request.nextToken ? { ExclusiveStartKey: startKey(request.nextToken) } : {}),
    ScanIndexForward: request.scanIndexForward,
    ConsistentRead: request.consistentRead,
  });
  const { Items, ScannedCount, LastEvaluatedKey } = querySchema.parse(response);
  return {
    items: Items.map(fromItem),
    nextToken: LastEvaluatedKey ? createPageToken(LastEvaluatedKey) : null,
    scannedCount: ScannedCount,
  };
}

function startKey(token: string): Item {
  const key = parsePageToken(token);
  if (key) return key;
  throw new AwsError('UserIllegalArgumentException', 'Invalid pagination token given.');
}

function conditionInput(condition: Expression | undefined): Record<string, unknown> {
  return condition ? { ConditionExpression: condition.expression, ...expressionInput(condition) } : {};
}

function expressionInput({ expressionNames, expressionValues }: Expression): Record<string, unknown> {
  return {
    ...(expressionNames ? { ExpressionAttributeNames: expressionNames } : {}),
    ...(expressionValues ? { ExpressionAttributeValues: expressionValues } : {}),
  };
}

function isConditionFailure(error: unknown): boolean {
  return error instanceof AwsError && error.type === 'ConditionalCheckFailedException';
}

function describeError({ type, message, status }: AwsError): { type: string; message: string } {
  const source = `Service: AmazonDynamoDBv2; Status Code: ${status}; Error Code: ${type}`;
  return { type: `DynamoDB:${type}`, message: `${message} (${source}; Request ID: ${randomUUID()})` };
}

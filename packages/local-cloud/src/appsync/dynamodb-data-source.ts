/**
 * AppSync's DynamoDB data source: converts requests of resolvers to calls of DynamoDB, and its responses to results.
 * https://docs.aws.amazon.com/appsync/latest/devguide/js-resolver-reference-dynamodb.html
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { DynamoDbCall } from '../dynamodb/dynamodb.ts';
import { AwsError } from '../http/aws-json.ts';
import { TABLE_NAME as TableName } from '../infra/infra.ts';
import { fromItem, type Item, itemSchema } from './attribute-values.ts';
import {
  conditionSchema,
  type Expression,
  expressionInput,
  expressionSchema,
  projectionSchema,
} from './expressions.ts';
import type { DataSourceOutcome } from './resolver-context.ts';
import { TransactionCanceledError, transactItems, writeTransaction } from './transactions.ts';

/** Executes the request that a resolver returns. Throws when the request is not valid. */
export type DataSource = (request: unknown) => Promise<DataSourceOutcome>;

const key = itemSchema;
const consistentRead = z.boolean().default(false);
const projection = projectionSchema.optional();
const listFields = {
  index: z.string().optional(),
  limit: z.int().positive().nullish(),
  nextToken: z.string().nullish(),
  filter: expressionSchema.nullish(),
  projection,
  consistentRead,
};
const oneTable = <Value extends z.ZodType>(value: Value) => z.strictObject({ [TableName]: value });
/** DynamoDB's limits of a batch. */
const [MAX_READS, MAX_WRITES] = [100, 25];

type Operation = (request: unknown, call: DynamoDbCall) => Promise<unknown>;

function defineOperation<Fields extends z.ZodRawShape>(
  fields: Fields,
  run: (request: z.output<z.ZodObject<Fields>>, call: DynamoDbCall) => Promise<unknown>,
): Operation {
  const schema = z.object(fields).strict();
  return (request, call) => run(schema.parse(request), call);
}

const operationsByName: Readonly<Record<string, Operation>> = {
  GetItem: defineOperation({ key, consistentRead, projection }, getItem),
  PutItem: defineOperation(
    { key, attributeValues: itemSchema, condition: conditionSchema.optional() },
    putItem,
  ),
  UpdateItem: defineOperation(
    { key, update: expressionSchema, condition: conditionSchema.optional() },
    async (request, call) => {
      const response = await call('UpdateItem', {
        TableName,
        Key: request.key,
        ReturnValues: 'ALL_NEW',
        ...expressionInput({
          UpdateExpression: request.update,
          ConditionExpression: request.condition,
        }),
      });
      return fromItem(attributesSchema.parse(response).Attributes ?? {});
    },
  ),
  DeleteItem: defineOperation({ key, condition: conditionSchema.optional() }, deleteItem),
  Query: defineOperation(
    {
      ...listFields,
      query: expressionSchema,
      scanIndexForward: z.boolean().default(true),
      select: z.enum(['ALL_ATTRIBUTES', 'ALL_PROJECTED_ATTRIBUTES']).optional(),
    },
    ({ scanIndexForward: ScanIndexForward, select: Select, ...request }, call) =>
      list('Query', request, { ScanIndexForward, Select }, call),
  ),
  Scan: defineOperation(
    { ...listFields, segment: z.int().optional(), totalSegments: z.int().optional() },
    ({ segment: Segment, totalSegments: TotalSegments, ...request }, call) =>
      list('Scan', request, { Segment, TotalSegments }, call),
  ),
  BatchGetItem: defineOperation(
    {
      tables: oneTable(
        z.strictObject({ keys: z.array(key).min(1).max(MAX_READS), consistentRead, projection }),
      ),
    },
    async ({ tables: { [TableName]: request } }, call) => {
      const found = await Promise.all(request.keys.map((each) => getItem({ ...request, key: each }, call)));
      return { data: { [TableName]: found }, unprocessedKeys: { [TableName]: [] } };
    },
  ),
  BatchPutItem: defineOperation(
    { tables: oneTable(z.array(itemSchema).min(1).max(MAX_WRITES)) },
    async ({ tables: { [TableName]: items } }, call) => {
      const requests = items.map((Item) => ({ PutRequest: { Item } }));
      await call('BatchWriteItem', { RequestItems: { [TableName]: requests } });
      return { data: { [TableName]: items.map(fromItem) }, unprocessedItems: { [TableName]: [] } };
    },
  ),
  BatchDeleteItem: defineOperation(
    { tables: oneTable(z.array(key).min(1).max(MAX_WRITES)) },
    async ({ tables: { [TableName]: keys } }, call) => {
      const requests = keys.map((Key) => ({ DeleteRequest: { Key } }));
      await call('BatchWriteItem', { RequestItems: { [TableName]: requests } });
      return { data: { [TableName]: keys.map(fromItem) }, unprocessedKeys: { [TableName]: [] } };
    },
  ),
  TransactGetItems: defineOperation(
    {
      transactItems: z
        .array(z.strictObject({ table: z.literal(TableName), key, projection }))
        .min(1)
        .max(MAX_READS),
    },
    async (request, call) => {
      const found = request.transactItems.map((each) => getItem({ ...each, consistentRead: true }, call));
      return { items: await Promise.all(found), cancellationReasons: null };
    },
  ),
  TransactWriteItems: defineOperation({ transactItems }, (request, call) =>
    writeTransaction(request.transactItems, call),
  ),
};

/** The supported operations, also those within a transaction. */
export const operations: readonly string[] = [...Object.keys(operationsByName), 'ConditionCheck'];

const requestSchema = z.looseObject({ operation: z.string() });

/** Returns the data source for the table of messages. It executes one request after the other, so transactions are isolated. */
export function createDynamoDbDataSource(call: DynamoDbCall): DataSource {
  let last: Promise<unknown> = Promise.resolve();
  return (input) => {
    const outcome = last.then(() => execute(input, call));
    last = outcome.catch(() => {});
    return outcome;
  };
}

async function execute(input: unknown, call: DynamoDbCall): Promise<DataSourceOutcome> {
  try {
    const { operation: name, ...request } = requestSchema.parse(input);
    const run = operationsByName[name];
    if (!run) throw new Error(`The local cloud does not support the operation ${name}.`);
    return { result: await run(request, call) };
  } catch (error) {
    if (error instanceof AwsError) {
      const result = error instanceof TransactionCanceledError ? error.result : null;
      return { result, error: describeError(error) };
    }
    if (!(error instanceof z.ZodError)) throw error;
    throw new Error(
      `A resolver has returned a request that is not valid, or that the local cloud does not support: ${JSON.stringify(input)}\n${z.prettifyError(error)}`,
    );
  }
}

async function getItem(
  request: { key: Item; consistentRead: boolean; projection?: Expression | undefined },
  call: DynamoDbCall,
): Promise<Record<string, unknown> | null> {
  const response = await call('GetItem', {
    TableName,
    Key: request.key,
    ConsistentRead: request.consistentRead,
    ...expressionInput({ ProjectionExpression: request.projection }),
  });
  const { Item } = z.object({ Item: itemSchema.optional() }).parse(response);
  return Item ? fromItem(Item) : null;
}

type Condition = z.infer<typeof conditionSchema>;

/** A put whose condition fails is successful if the same item is stored already. */
async function putItem(
  request: { key: Item; attributeValues: Item; condition?: Condition | undefined },
  call: DynamoDbCall,
): Promise<unknown> {
  const Item = { ...request.attributeValues, ...request.key };
  const result = fromItem(Item);
  try {
    await call('PutItem', {
      TableName,
      Item,
      ...expressionInput({ ConditionExpression: request.condition }),
    });
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    const stored = await getItem({ key: request.key, consistentRead: true }, call);
    const compared = (item: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(item).filter(([name]) => !request.condition?.equalsIgnore.includes(name)),
      );
    if (stored === null || !isDeepStrictEqual(compared(stored), compared(result))) throw error;
  }
  return result;
}

const attributesSchema = z.object({ Attributes: itemSchema.optional() });

/** A deletion whose condition fails is successful if the item does not exist. */
async function deleteItem(
  request: { key: Item; condition?: Condition | undefined },
  call: DynamoDbCall,
): Promise<unknown> {
  const condition = expressionInput({ ConditionExpression: request.condition });
  try {
    const response = await call('DeleteItem', {
      TableName,
      Key: request.key,
      ReturnValues: 'ALL_OLD',
      ...condition,
    });
    const { Attributes } = attributesSchema.parse(response);
    return Attributes ? fromItem(Attributes) : null;
  } catch (error) {
    const isGone = async () => (await getItem({ key: request.key, consistentRead: true }, call)) === null;
    if (!isConditionFailure(error) || !(await isGone())) throw error;
    return null;
  }
}

const listSchema = z.object({
  Items: z.array(itemSchema),
  ScannedCount: z.number(),
  LastEvaluatedKey: itemSchema.optional(),
});

/** A scan has no `query`. `options` are further fields of the call. */
async function list(
  name: 'Query' | 'Scan',
  request: z.output<z.ZodObject<typeof listFields>> & { query?: Expression },
  options: Record<string, unknown>,
  call: DynamoDbCall,
): Promise<unknown> {
  const { nextToken } = request;
  const response = await call(name, {
    TableName,
    ...options,
    IndexName: request.index,
    ConsistentRead: request.consistentRead,
    Limit: request.limit ?? undefined,
    ExclusiveStartKey: nextToken ? parsePageToken(nextToken) : undefined,
    ...expressionInput({
      KeyConditionExpression: request.query,
      FilterExpression: request.filter,
      ProjectionExpression: request.projection,
    }),
  });
  const { Items, ScannedCount, LastEvaluatedKey } = listSchema.parse(response);
  return {
    items: Items.map(fromItem),
    nextToken: LastEvaluatedKey ? createPageToken(LastEvaluatedKey) : null,
    scannedCount: ScannedCount,
  };
}

/** AppSync's tokens for a table with a sort key have about this many characters. They contain the key encrypted. */
const TOKEN_LENGTH = 2_620;

function createPageToken(lastKey: Item): string {
  return Buffer.from(JSON.stringify(lastKey).padEnd((TOKEN_LENGTH * 3) / 4)).toString('base64');
}

function parsePageToken(token: string): Item {
  try {
    return itemSchema.parse(JSON.parse(Buffer.from(token, 'base64').toString()));
  } catch {
    throw new AwsError('UserIllegalArgumentException', 'Invalid pagination token given.');
  }
}

function isConditionFailure(error: unknown): boolean {
  return error instanceof AwsError && error.type === 'ConditionalCheckFailedException';
}

function describeError({ type, message, status }: AwsError): { type: string; message: string } {
  const source = `Service: AmazonDynamoDBv2; Status Code: ${status}; Error Code: ${type}`;
  return { type: `DynamoDB:${type}`, message: `${message} (${source}; Request ID: ${randomUUID()})` };
}

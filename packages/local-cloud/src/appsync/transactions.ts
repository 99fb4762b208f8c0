/**
 * Transactions, which dynalite lacks. Every item is written with its condition, and if one fails, the others are restored. The
 * data source executes nothing else in the meantime.
 * https://docs.aws.amazon.com/appsync/latest/devguide/js-aws-appsync-resolver-reference-dynamodb-transact-write-items.html
 */
import { z } from 'zod';
import type { DynamoDbCall } from '../dynamodb/dynamodb.ts';
import { AwsError } from '../http/aws-json.ts';
import { TABLE_NAME as TableName } from '../infra/infra.ts';
import { fromItem, type Item, itemSchema } from './attribute-values.ts';
import { expressionInput, expressionSchema, transactConditionSchema } from './expressions.ts';

const MAX_ITEMS = 100;

const target = { table: z.literal(TableName), key: itemSchema };
const condition = transactConditionSchema.optional();
const transactItem = z.discriminatedUnion('operation', [
  z.strictObject({ ...target, operation: z.literal('PutItem'), attributeValues: itemSchema, condition }),
  z.strictObject({ ...target, operation: z.literal('UpdateItem'), update: expressionSchema, condition }),
  z.strictObject({ ...target, operation: z.literal('DeleteItem'), condition }),
  z.strictObject({ ...target, operation: z.literal('ConditionCheck'), condition: transactConditionSchema }),
]);
type TransactItem = z.infer<typeof transactItem>;

/** The items of `TransactWriteItems`. */
export const transactItems = z.array(transactItem).min(1).max(MAX_ITEMS);

/** Why an item has canceled the transaction. `type` is DynamoDB's code, and `None` for an item that has not. */
type CancellationReason = { type: string; message: string; item?: Record<string, unknown> };

/** Thrown when the condition of an item was not met. Nothing has been written. */
export class TransactionCanceledError extends AwsError {
  /** What AppSync passes to the resolver. */
  readonly result: { keys: null; cancellationReasons: CancellationReason[] };

  constructor(cancellationReasons: CancellationReason[]) {
    const types = cancellationReasons.map(({ type }) => type).join(', ');
    super(
      'TransactionCanceledException',
      `Transaction cancelled, please refer cancellation reasons for specific reasons [${types}]`,
    );
    this.result = { keys: null, cancellationReasons };
  }
}

/** Writes all items or none. Throws `TransactionCanceledError`, or the `AwsError` of an item that is not valid. */
export async function writeTransaction(
  items: readonly TransactItem[],
  call: DynamoDbCall,
): Promise<{ keys: Record<string, unknown>[]; cancellationReasons: null }> {
  const keys = items.map(({ key }) => fromItem(key));
  if (new Set(keys.map((key) => JSON.stringify(Object.entries(key).sort()))).size < keys.length) {
    throw new AwsError(
      'ValidationException',
      'Transaction request cannot include multiple operations on one item',
    );
  }
  const writes: Write[] = [];
  for (const item of items) writes.push({ item, before: await read(item.key, call) });
  const reasons: CancellationReason[] = [];
  try {
    for (const each of writes) reasons.push(await write(each, call));
  } catch (error) {
    await restore(writes, call);
    throw error;
  }
  const isCanceled = reasons.some(({ type }) => type !== 'None');
  // A check writes an item that consists of its key when there was none.
  await restore(isCanceled ? writes : writes.filter(({ item }) => item.operation === 'ConditionCheck'), call);
  if (isCanceled) throw new TransactionCanceledError(reasons);
  return { keys, cancellationReasons: null };
}

/** `before` is the stored item. */
type Write = { item: TransactItem; before: Item | undefined };

async function read(Key: Item, call: DynamoDbCall): Promise<Item | undefined> {
  const response = await call('GetItem', { TableName, Key, ConsistentRead: true });
  return z.object({ Item: itemSchema.optional() }).parse(response).Item;
}

async function restore(writes: readonly Write[], call: DynamoDbCall): Promise<void> {
  for (const { item, before } of writes) {
    if (before) await call('PutItem', { TableName, Item: before });
    else await call('DeleteItem', { TableName, Key: item.key });
  }
}

/** Writes an item if its condition is met. */
async function write({ item, before }: Write, call: DynamoDbCall): Promise<CancellationReason> {
  try {
    await call(...inputOf(item));
    return { type: 'None', message: 'None' };
  } catch (error) {
    if (!(error instanceof AwsError) || error.type !== 'ConditionalCheckFailedException') throw error;
    const isShown = before && item.condition?.returnValuesOnConditionCheckFailure;
    return {
      ...(isShown && { item: fromItem(before) }),
      type: 'ConditionalCheckFailed',
      message: error.message,
    };
  }
}

/** Returns the operation that writes one item, and its input. A check is an update without changes. */
function inputOf(item: TransactItem): Parameters<DynamoDbCall> {
  const { key: Key, condition: ConditionExpression } = item;
  const input = { TableName, ...expressionInput({ ConditionExpression }) };
  switch (item.operation) {
    case 'PutItem':
      return ['PutItem', { ...input, Item: { ...item.attributeValues, ...Key } }];
    case 'DeleteItem':
      return ['DeleteItem', { ...input, Key }];
    case 'UpdateItem': {
      const expressions = expressionInput({ UpdateExpression: item.update, ConditionExpression });
      return ['UpdateItem', { TableName, Key, ...expressions }];
    }
    case 'ConditionCheck':
      return ['UpdateItem', { ...input, Key }];
  }
}

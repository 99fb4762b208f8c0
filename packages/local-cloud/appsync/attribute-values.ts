import { z } from 'zod';

/** A value with its DynamoDB type, such as `{ S: 'text' }`. */
export type AttributeValue =
  | { S: string }
  | { N: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { L: AttributeValue[] }
  | { M: Item };

export type Item = { [name: string]: AttributeValue };

const attributeValueSchema: z.ZodType<AttributeValue> = z.lazy(() =>
  z.union([
    z.strictObject({ S: z.string() }),
    z.strictObject({ N: z.string() }),
    z.strictObject({ BOOL: z.boolean() }),
    z.strictObject({ NULL: z.literal(true) }),
    z.strictObject({ L: z.array(attributeValueSchema) }),
    z.strictObject({ M: itemSchema }),
  ]),
);

export const itemSchema = z.record(z.string(), attributeValueSchema);

/**
 * Returns the DynamoDB form of a JSON value. Sets and binary values are not supported. Throws `TypeError` for values
 * that JSON does not have.
 * https://docs.aws.amazon.com/appsync/latest/devguide/dynamodb-helpers-in-util-dynamodb-js.html
 */
function toAttributeValue(value: unknown): AttributeValue {
  if (value === null || value === undefined) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(toAttributeValue) };
  if (typeof value === 'object') return { M: toItem(value) };
  throw new TypeError(`A value of type ${typeof value} cannot be stored in DynamoDB.`);
}

/** Returns the attributes of an object in DynamoDB's form. */
export function toItem(value: object): Item {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toAttributeValue(member)]));
}

/** Returns the JSON value of an attribute. */
function fromAttributeValue(value: AttributeValue): unknown {
  if ('S' in value) return value.S;
  if ('N' in value) return Number(value.N);
  if ('BOOL' in value) return value.BOOL;
  if ('L' in value) return value.L.map(fromAttributeValue);
  if ('M' in value) return fromItem(value.M);
  return null;
}

/** Returns the attributes of an item as JSON values. */
export function fromItem(item: Item): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, fromAttributeValue(value)]));
}

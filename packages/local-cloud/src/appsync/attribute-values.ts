import { z } from 'zod';

/** A value with its DynamoDB type, such as `{ S: 'text' }`. Binary values are texts in base64. */
export type AttributeValue =
  | { S: string }
  | { N: string }
  | { B: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { SS: string[] }
  | { NS: string[] }
  | { BS: string[] }
  | { L: AttributeValue[] }
  | { M: Item };

export type Item = { [name: string]: AttributeValue };

/** DynamoDB's API takes numbers as texts, and AppSync also as numbers. */
const numberText = z.union([z.string(), z.number()]).transform(String);

const attributeValueSchema: z.ZodType<AttributeValue> = z.lazy(() =>
  z.union([
    z.strictObject({ S: z.string() }),
    z.strictObject({ N: numberText }),
    z.strictObject({ B: z.string() }),
    z.strictObject({ BOOL: z.boolean() }),
    z.strictObject({ NULL: z.union([z.null(), z.literal(true)]).transform((): true => true) }),
    z.strictObject({ SS: z.array(z.string()) }),
    z.strictObject({ NS: z.array(numberText) }),
    z.strictObject({ BS: z.array(z.string()) }),
    z.strictObject({ L: z.array(attributeValueSchema) }),
    z.strictObject({ M: itemSchema }),
  ]),
);

export const itemSchema = z.record(z.string(), attributeValueSchema);

/**
 * Returns the DynamoDB form of a JSON value. Throws `TypeError` for values that JSON does not have.
 * https://docs.aws.amazon.com/appsync/latest/devguide/dynamodb-helpers-in-util-dynamodb-js.html
 */
export function toAttributeValue(value: unknown): AttributeValue {
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

/** Returns the JSON value of an attribute. A set is an array. */
function fromAttributeValue(value: AttributeValue): unknown {
  if ('N' in value) return Number(value.N);
  if ('NS' in value) return value.NS.map(Number);
  if ('L' in value) return value.L.map(fromAttributeValue);
  if ('M' in value) return fromItem(value.M);
  return 'NULL' in value ? null : Object.values(value)[0];
}

/** Returns the attributes of an item as JSON values. */
export function fromItem(item: Item): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, fromAttributeValue(value)]));
}

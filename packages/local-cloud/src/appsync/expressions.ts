/** The expressions of DynamoDB: in requests of resolvers, in calls, and made of filters. */
import { z } from 'zod';
import { itemSchema, toAttributeValue } from './attribute-values.ts';

const fields = {
  expression: z.string(),
  expressionNames: z.record(z.string(), z.string()).default({}),
  expressionValues: itemSchema.default({}),
};

/** Accepts a value also as the JSON text that `toExpression` returns, as AppSync does. */
const orText = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === 'string' ? JSON.parse(value) : value), schema);

export const expressionSchema = orText(z.strictObject(fields));
export type Expression = z.infer<typeof expressionSchema>;

/** The attributes that are read. */
export const projectionSchema = z.strictObject(fields);

/** The condition of a put, an update or a deletion. */
export const conditionSchema = orText(
  z.strictObject({
    ...fields,
    /** The attributes in which an item may differ if the condition of a put is not met. */
    equalsIgnore: z.array(z.string()).default([]),
    consistentRead: z.boolean().default(true),
    conditionalCheckFailedHandler: z.strictObject({ strategy: z.literal('Reject') }).optional(),
  }),
);

/** The condition of an item in a transaction. */
export const transactConditionSchema = orText(
  z.strictObject({ ...fields, returnValuesOnConditionCheckFailure: z.boolean().default(true) }),
);

/**
 * Returns the part of the input of an operation that consists of expressions. `expressions` contains them by the names that
 * DynamoDB gives them, such as `UpdateExpression`. DynamoDB rejects empty names and values.
 */
export function expressionInput(
  expressions: Record<string, Pick<Expression, keyof typeof fields> | null | undefined>,
): Record<string, unknown> {
  const given = Object.entries(expressions).flatMap(([name, value]) => (value ? [{ name, ...value }] : []));
  const names = Object.assign({}, ...given.map(({ expressionNames }) => expressionNames));
  const values = Object.assign({}, ...given.map(({ expressionValues }) => expressionValues));
  return {
    ...Object.fromEntries(given.map(({ name, expression }) => [name, expression])),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

const COMPARISONS: Readonly<Record<string, string>> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
};

/**
 * Returns the DynamoDB expression of a filter such as `{ title: { contains: 'Hello' } }`, as the JSON text that AppSync
 * returns. Attributes and operators are combined with AND. Throws `TypeError` for an unknown operator.
 * https://docs.aws.amazon.com/appsync/latest/devguide/transformation-helpers-in-util-transform-js.html
 */
export function toExpression(filter: object): string {
  const result: Expression = { expression: '', expressionNames: {}, expressionValues: {} };
  return JSON.stringify({ ...result, expression: combine(filter, result) });
}

/** Returns the expression of a filter, and adds its names and values to `result`. */
function combine(filter: object, result: Expression): string {
  const join = (parts: string[], word: string) => (parts.length > 1 ? `(${parts.join(word)})` : parts.join());
  const all = (filters: unknown) => [filters].flat().map((each) => combine(Object(each), result));
  const parts = Object.entries(filter).flatMap(([name, condition]) => {
    if (name === 'and') return join(all(condition), ' AND ');
    if (name === 'or') return join(all(condition), ' OR ');
    if (name === 'not') return `(NOT ${join(all(condition), ' AND ')})`;
    result.expressionNames[`#${name}`] = name;
    return Object.entries(Object(condition)).map(([operator, operand]) =>
      compare(name, operator, operand, result),
    );
  });
  return join(parts, ' AND ');
}

function compare(name: string, operator: string, operand: unknown, { expressionValues }: Expression): string {
  const value = (each: unknown) => {
    const placeholder = `:${name}_${operator}_${Object.keys(expressionValues).length}`;
    expressionValues[placeholder] = toAttributeValue(each);
    return placeholder;
  };
  const values = () => [operand].flat().map(value);
  const comparison = COMPARISONS[operator];
  if (comparison !== undefined) return `#${name} ${comparison} ${value(operand)}`;
  switch (operator) {
    case 'attributeExists':
      return operand ? `attribute_exists(#${name})` : `attribute_not_exists(#${name})`;
    case 'beginsWith':
      return `begins_with(#${name}, ${value(operand)})`;
    case 'contains':
      return `contains(#${name}, ${value(operand)})`;
    case 'notContains':
      return `NOT contains(#${name}, ${value(operand)})`;
    case 'between':
      return `#${name} BETWEEN ${values().join(' AND ')}`;
    case 'in':
      return `#${name} IN (${values().join(', ')})`;
    default:
      throw new TypeError(`The local cloud does not support the operator ${operator} of ${name}.`);
  }
}

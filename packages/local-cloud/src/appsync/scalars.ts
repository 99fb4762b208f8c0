import { type GraphQLSchema, isScalarType } from 'graphql';

const OFFSET = '(?:Z|[+-]\\d\\d:\\d\\d)';
const TIME = '\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?';

/** Whether a text has this form, and is a date if `date` completes it to one. */
const isText = (form: string, date?: (text: string) => string) => {
  const pattern = new RegExp(`^${form}$`);
  return (value: unknown) =>
    typeof value === 'string' && pattern.test(value) && (!date || !Number.isNaN(Date.parse(date(value))));
};

/** Which values of arguments AppSync's scalars accept. The local cloud has those that a site needs. */
const scalars: Readonly<Record<string, (value: unknown) => boolean>> = {
  AWSDate: isText(`\\d{4}-\\d\\d-\\d\\d${OFFSET}?`, (text) => text.slice(0, 10)),
  AWSTime: isText(`${TIME}${OFFSET}?`, (text) => `2000-01-01T${text}`),
  AWSDateTime: isText(`\\d{4}-\\d\\d-\\d\\dT${TIME}${OFFSET}`, (text) => text),
  AWSTimestamp: Number.isInteger,
  AWSEmail: isText('[^\\s@]+@[^\\s@]+'),
  AWSURL: (value) => typeof value === 'string' && URL.canParse(value),
};

/** The definitions of the scalars, for the head of a schema. */
export const SCALAR_DEFINITIONS: string = Object.keys(scalars)
  .map((name) => `scalar ${name}\n`)
  .join('');

/**
 * Lets the scalars of a schema accept valid values only.
 * https://docs.aws.amazon.com/appsync/latest/devguide/scalars.html
 */
export function checkScalars(schema: GraphQLSchema): void {
  for (const [name, isValid] of Object.entries(scalars)) {
    const type = schema.getType(name);
    if (!isScalarType(type)) continue;
    type.parseValue = (value: unknown) => {
      if (isValid(value)) return value;
      throw new TypeError(`The value is not valid for ${name}.`);
    };
  }
}

/** What the role of the data source may do, as `infra/template.yaml` says. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { AwsError } from '../http/aws-json.ts';

const TEMPLATE = new URL('../../../infra/template.yaml', import.meta.url);

const text = z.string();
/** A text, a list, or a list with a function such as `!If` in it, whose branches count both. */
const oneOrMore = z
  .union([text, z.array(z.union([text, z.array(text)]))])
  .transform((value) => [value].flat(2));
const roleSchema = z.object({
  Properties: z.object({
    Policies: z.array(
      z.object({
        PolicyDocument: z.object({
          Statement: z.array(
            z.object({ Effect: z.literal('Allow'), Action: oneOrMore, Resource: oneOrMore }),
          ),
        }),
      }),
    ),
  }),
});

/** The table as `!GetAtt`, and its indexes as `!Sub`. The parser leaves the text after the tags. */
const TABLE = 'MessagesTable.Arn';
const INDEXES = `\${${TABLE}}/index/*`;

/** The policy of the role. Checks calls of DynamoDB as IAM does. */
export class DataSourceRole {
  /** Pairs such as `dynamodb:Query MessagesTable.Arn`. */
  readonly #allowed: ReadonlySet<string>;

  /** Reads the role from the text of a template, by default that of the project. Throws when the role is missing. */
  constructor(template: string = readFileSync(TEMPLATE, 'utf8')) {
    // The whole template takes a tenth of a second to parse.
    const [, block] = /^ {2}DataSourceRole:\n((?: {4}.*\n|\n)+)/m.exec(template) ?? [];
    const { Properties } = roleSchema.parse(parse(block ?? '', { logLevel: 'error' }));
    const statements = Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    this.#allowed = new Set(
      statements.flatMap(({ Action, Resource }) =>
        Action.flatMap((action) => Resource.map((resource) => `${action} ${resource}`)),
      ),
    );
  }

  /** Throws `AwsError` unless the role may call the operation on the table, or on its index if the input names one. */
  authorize(operation: string, input: Record<string, unknown>): void {
    const resource = 'IndexName' in input ? INDEXES : TABLE;
    if (this.#allowed.has(`dynamodb:${operation} ${resource}`)) return;
    const arn = `table/messages${'IndexName' in input ? `/index/${input.IndexName}` : ''}`;
    throw new AwsError(
      'DynamoDbException',
      `User: arn:aws:sts::123456789012:assumed-role/DataSourceRole/APPSYNC_ASSUME_ROLE is not authorized to perform: dynamodb:${operation} on resource: arn:aws:dynamodb:us-east-1:123456789012:${arn}`,
      400,
    );
  }
}

/** What the local cloud takes from the infrastructure that is deployed to AWS: roles and groups, the table, resolvers, schema. */
import { z } from 'zod';
import { StartError } from '../start-error.ts';
import type { InfraSource, Template } from './infra-source.ts';
import { type Roles, readRoles } from './roles.ts';

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const indexSchema = z.object({
  IndexName: z.string(),
  KeySchema: keySchema,
  Projection: z.record(z.string(), z.unknown()),
});
const tableSchema = z.object({
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.string() })),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z.array(indexSchema).optional(),
  LocalSecondaryIndexes: z.array(indexSchema).optional(),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
});
/** The properties of the table that the local cloud needs. */
export type Table = z.infer<typeof tableSchema>;

export type Infra = Pick<InfraSource, 'schema' | 'resolvers'> & {
  table: Table;
  /** The variables that resolvers read in `ctx.env`. */
  environment: Record<string, string>;
  roles: Roles;
  minPasswordLength: number;
  /** What the app client of the site allows. */
  client: { allowedScopes: readonly string[]; writableAttributes: readonly string[] };
};

/** The name of the table. At AWS it depends on the stack. */
export const TABLE_NAME = 'messages';

/** Returns the error that says what the local cloud does not support, and where. */
export function unsupported(problems: readonly string[]): StartError {
  return new StartError(`The local cloud does not support this:\n${problems.join('\n')}`);
}

/** Reads the infrastructure. Throws `StartError` for a part of the template. */
export function readInfra({ template, schema, resolvers }: InfraSource): Infra {
  try {
    return {
      schema,
      resolvers,
      ...readTable(template),
      roles: readRoles(template),
      minPasswordLength: readMinPasswordLength(template),
      client: readClient(template),
    };
  } catch (error) {
    if (error instanceof z.ZodError) throw unsupported([`The template: ${z.prettifyError(error)}`]);
    throw error;
  }
}

function readTable({ Resources }: Template): Pick<Infra, 'table' | 'environment'> {
  const ofType = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type);
  const tables = ofType('AWS::DynamoDB::Table').map(([id, { Properties }]) => ({ id, ...Properties }));
  const [{ id, ...table }] = z
    .tuple([tableSchema.extend({ id: z.string() })], { error: 'There must be one AWS::DynamoDB::Table.' })
    .parse(tables);
  const isTableName = (value: unknown) => JSON.stringify(value).includes(`{"Ref":"${id}"}`);
  const variable = z.preprocess((value) => (isTableName(value) ? TABLE_NAME : value), z.string());
  const [api] = ofType('AWS::AppSync::GraphQLApi');
  const { EnvironmentVariables } = z
    .object({ EnvironmentVariables: z.record(z.string(), variable).default({}) })
    .parse(api?.[1].Properties);
  return { table, environment: EnvironmentVariables };
}

/** The hosted login checks only the length of passwords. */
const passwordPolicy = z.object({
  MinimumLength: z.number(),
  RequireLowercase: z.literal(false),
  RequireUppercase: z.literal(false),
  RequireNumbers: z.literal(false),
  RequireSymbols: z.literal(false),
});

function readMinPasswordLength({ Resources }: Template): number {
  const userPool = Object.values(Resources).find(({ Type }) => Type === 'AWS::Cognito::UserPool');
  const policies = z.object({ Policies: z.object({ PasswordPolicy: passwordPolicy }) });
  return policies.parse(userPool?.Properties).Policies.PasswordPolicy.MinimumLength;
}

function readClient({ Resources }: Template): Infra['client'] {
  const client = Object.values(Resources).find(({ Type }) => Type === 'AWS::Cognito::UserPoolClient');
  const names = z.array(z.string());
  const properties = z.object({ AllowedOAuthScopes: names, WriteAttributes: names });
  const { AllowedOAuthScopes, WriteAttributes } = properties.parse(client?.Properties);
  return { allowedScopes: AllowedOAuthScopes, writableAttributes: WriteAttributes };
}

/** `schema.graphql` made executable, with what AppSync adds to the language: its scalars and its access directives. */
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type ConstDirectiveNode,
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
} from 'graphql';
import { FieldError } from './appsync-errors.ts';

/** How a caller proved who it is. */
export type AuthMode = 'iam' | 'userPool';

export type Caller = {
  mode: AuthMode;
  /** The user, or null for a guest's credentials. */
  sub: string | null;
};

/** What resolves one field of `Query` or `Mutation`. Arguments are of the schema's types, and no more is known of them. */
export type Resolver = (given: Record<string, unknown>, caller: { sub: string }) => unknown;
export type Resolvers = Record<string, Record<string, Resolver>>;

const APPSYNC_DEFINITIONS = `
  scalar AWSDateTime
  directive @aws_iam on OBJECT | FIELD_DEFINITION
  directive @aws_cognito_user_pools(cognito_groups: [String!]) on OBJECT | FIELD_DEFINITION
`;

/** The API's own mode; what carries no directive answers it alone. */
const DEFAULT_MODE: AuthMode = 'userPool';
const MODE_OF_DIRECTIVE: Record<string, AuthMode> = { aws_iam: 'iam', aws_cognito_user_pools: 'userPool' };

/** The text of the schema that AppSync deploys too. */
export function readApiSchema(): string {
  return readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');
}

/**
 * The executable schema. Every field asks for its access first: its own directives, else those of its type, else the
 * default mode. So a type that lacks a directive hides its fields although the field that returns it is open. Throws
 * when a field of `Query` or `Mutation` has no resolver.
 * https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html#using-additional-authorization-modes
 */
export function buildApiSchema(source: string, resolvers: Resolvers): GraphQLSchema {
  const schema = buildSchema(APPSYNC_DEFINITIONS + source);
  const roots = [schema.getQueryType(), schema.getMutationType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const resolver = resolvers[type.name]?.[field.name];
      if (roots.includes(type) && !resolver) throw new Error(`${type.name}.${field.name} has no resolver.`);
      guardField(type, field, resolver);
    }
  }
  return schema;
}

function guardField(
  type: GraphQLObjectType,
  field: GraphQLField<unknown, Caller>,
  resolver: Resolver | undefined,
): void {
  const modes = modesOf(field.astNode?.directives) ?? modesOf(type.astNode?.directives) ?? [DEFAULT_MODE];
  field.resolve = (source, given, { mode, sub }, info) => {
    if (sub === null || !modes.includes(mode)) {
      throw new FieldError('Unauthorized', `Not Authorized to access ${field.name} on type ${type.name}`);
    }
    return resolver ? resolver(given, { sub }) : defaultFieldResolver(source, given, { mode, sub }, info);
  };
}

/** The modes that directives name, or undefined where there is no such directive. */
function modesOf(directives: readonly ConstDirectiveNode[] = []): AuthMode[] | undefined {
  const modes = directives.flatMap(({ name }) => MODE_OF_DIRECTIVE[name.value] ?? []);
  return modes.length > 0 ? modes : undefined;
}

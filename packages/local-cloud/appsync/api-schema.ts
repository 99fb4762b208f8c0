/**
 * The executable form of `schema.graphql`, with AppSync's scalars and authorization directives.
 * https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html
 */
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
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
import type { CallerIdentity, FieldInfo } from './resolver-context.ts';

/** How a request was authorized: by a signature (`iam`) or by a token of the user pool. */
type AuthMode = 'iam' | 'userPool';

export type Caller = {
  mode: AuthMode;
  /** The user, or null for a guest. */
  sub: string | null;
  identity: CallerIdentity;
  /** The headers of the request. */
  headers: IncomingHttpHeaders;
};

/**
 * Resolves one field of `Query` or `Mutation`. The schema has checked the types of the arguments, but not their
 * values.
 */
export type Resolver = (args: Record<string, unknown>, caller: Caller, info: FieldInfo) => unknown;
export type Resolvers = Record<string, Record<string, Resolver>>;

const APPSYNC_DEFINITIONS = `
  scalar AWSDateTime
  directive @aws_iam on OBJECT | FIELD_DEFINITION
  directive @aws_cognito_user_pools(cognito_groups: [String!]) on OBJECT | FIELD_DEFINITION
`;

/** The default authorization mode of the API. It applies to types and fields without a directive. */
const DEFAULT_MODE: AuthMode = 'userPool';
const MODE_OF_DIRECTIVE: Record<string, AuthMode> = { aws_iam: 'iam', aws_cognito_user_pools: 'userPool' };

/** Returns the text of `schema.graphql`, which is also deployed to AppSync. */
export function readApiSchema(): string {
  return readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8');
}

/**
 * Returns the executable schema. Every field first checks the authorization mode of the caller against its own
 * directives, or else those of its type, or else the default mode. A type without the required directive therefore
 * hides its fields even when the field that returns the type is allowed. Throws when a field of `Query` or
 * `Mutation` has no resolver.
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
      authorizeField(type, field, resolver);
    }
  }
  return schema;
}

function authorizeField(
  type: GraphQLObjectType,
  field: GraphQLField<unknown, Caller>,
  resolver: Resolver | undefined,
): void {
  const modes = modesOf(field.astNode?.directives) ?? modesOf(type.astNode?.directives) ?? [DEFAULT_MODE];
  field.resolve = (source, args, caller, info) => {
    if (caller.sub === null || !modes.includes(caller.mode)) {
      throw new FieldError('Unauthorized', `Not Authorized to access ${field.name} on type ${type.name}`);
    }
    if (!resolver) return defaultFieldResolver(source, args, caller, info);
    const { variableValues: variables } = info;
    return resolver({ ...args }, caller, { parentTypeName: type.name, fieldName: field.name, variables });
  };
}

/** Returns the modes that the directives allow, or undefined without an authorization directive. */
function modesOf(directives: readonly ConstDirectiveNode[] = []): AuthMode[] | undefined {
  const modes = directives.flatMap(({ name }) => MODE_OF_DIRECTIVE[name.value] ?? []);
  return modes.length > 0 ? modes : undefined;
}

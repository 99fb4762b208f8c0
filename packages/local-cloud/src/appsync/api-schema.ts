/**
 * The executable form of `schema.graphql`, with AppSync's scalars and authorization directives.
 * https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
  buildSchema,
  type ConstDirectiveNode,
  defaultFieldResolver,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  responsePathAsArray,
} from 'graphql';
import type { Role } from '../infra/roles.ts';
import { StartError } from '../start-error.ts';
import { FieldError } from './appsync-errors.ts';
import { type CallerIdentity, type FieldInfo, groupsOf } from './resolver-context.ts';
import { checkScalars, SCALAR_DEFINITIONS } from './scalars.ts';

/** How a request was authorized: by a signature (`iam`) or by a token of the user pool. */
export type AuthMode = 'iam' | 'userPool';

export type Caller = {
  mode: AuthMode;
  /** The role of a signer, or null for the owner of a token. */
  role: Role | null;
  identity: CallerIdentity;
  /** The headers of the request. */
  headers: IncomingHttpHeaders;
  /** The errors that resolvers have appended to the response. */
  appendedErrors: GraphQLError[];
};

/** One call of a resolver. `source` is the object that the field belongs to, or null for `Query` and `Mutation`. */
export type FieldCall = {
  caller: Caller;
  source: unknown;
  info: FieldInfo;
  appendError(error: FieldError): void;
};

/**
 * Resolves one field. The schema has checked the types of the arguments, but not their
 * values.
 */
export type Resolver = (args: Record<string, unknown>, call: FieldCall) => unknown;
export type Resolvers = Record<string, Record<string, Resolver>>;

const APPSYNC_DEFINITIONS = `
  ${SCALAR_DEFINITIONS}
  directive @aws_iam on OBJECT | FIELD_DEFINITION
  directive @aws_cognito_user_pools(cognito_groups: [String!]) on OBJECT | FIELD_DEFINITION
  directive @aws_subscribe(mutations: [String!]!) on FIELD_DEFINITION
`;

/** Which callers a directive allows: those of a mode, or with `groups` only members of one of them. */
type Rule = { mode: AuthMode; groups?: readonly string[] };

/** The default of the API. It applies to types and fields without a directive. */
const DEFAULT_RULES: readonly Rule[] = [{ mode: 'userPool' }];

/**
 * Returns the executable schema. Every field first checks the authorization mode of the caller against its own
 * directives, or else those of its type, or else the default mode. A type without the required directive therefore
 * hides its fields even when the field that returns the type is allowed. Throws when a field of `Query` or
 * `Mutation` has no resolver.
 * https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html#using-additional-authorization-modes
 */
export function buildApiSchema(source: string, resolvers: Resolvers): GraphQLSchema {
  const schema = buildSchema(APPSYNC_DEFINITIONS + source);
  checkScalars(schema);
  const roots = [schema.getQueryType(), schema.getMutationType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const resolver = resolvers[type.name]?.[field.name];
      if (roots.includes(type) && !resolver)
        throw new StartError(`${type.name}.${field.name} of the schema has no resolver in the template.`);
      if (type === schema.getSubscriptionType() && resolver) {
        throw new Error(`${type.name}.${field.name}: resolvers of subscriptions are not supported.`);
      }
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
  const rules = rulesOf(field.astNode?.directives) ?? rulesOf(type.astNode?.directives) ?? DEFAULT_RULES;
  field.resolve = (source, args, caller, info) => {
    if (!rules.some((rule) => isAllowed(caller, rule))) {
      throw new FieldError('Unauthorized', `Not Authorized to access ${field.name} on type ${type.name}`);
    }
    if (!resolver) return defaultFieldResolver(source, args, caller, info);
    const { variableValues: variables, fieldNodes: nodes } = info;
    return resolver(
      { ...args },
      {
        caller,
        source: source ?? null,
        info: { parentTypeName: type.name, fieldName: field.name, variables },
        appendError(originalError) {
          const path = responsePathAsArray(info.path);
          caller.appendedErrors.push(new GraphQLError(originalError.message, { nodes, path, originalError }));
        },
      },
    );
  };
}

function isAllowed({ mode, identity }: Caller, rule: Rule): boolean {
  return mode === rule.mode && (rule.groups?.some((group) => groupsOf(identity).includes(group)) ?? true);
}

/** Returns what the directives allow, or undefined without an authorization directive. */
function rulesOf(directives: readonly ConstDirectiveNode[] = []): Rule[] | undefined {
  const rules = directives.flatMap((directive): Rule[] => {
    if (directive.name.value === 'aws_iam') return [{ mode: 'iam' }];
    if (directive.name.value !== 'aws_cognito_user_pools') return [];
    const groups = directive.arguments?.find(({ name }) => name.value === 'cognito_groups')?.value;
    if (groups?.kind !== Kind.LIST) return [{ mode: 'userPool' }];
    const names = groups.values.flatMap((value) => (value.kind === Kind.STRING ? [value.value] : []));
    return [{ mode: 'userPool', groups: names }];
  });
  return rules.length > 0 ? rules : undefined;
}

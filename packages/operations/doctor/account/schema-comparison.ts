import { buildSchema, type GraphQLSchema, isObjectType } from 'graphql';

/** What AppSync defines in addition to the schema of an API. */
const APPSYNC_DEFINITIONS = `
  scalar AWSDate scalar AWSDateTime scalar AWSTime scalar AWSTimestamp scalar AWSEmail scalar AWSJSON
  scalar AWSURL scalar AWSPhone scalar AWSIPAddress
  directive @aws_iam on OBJECT | FIELD_DEFINITION
  directive @aws_api_key on OBJECT | FIELD_DEFINITION
  directive @aws_oidc on OBJECT | FIELD_DEFINITION
  directive @aws_lambda on OBJECT | FIELD_DEFINITION
  directive @aws_auth(cognito_groups: [String!]) on FIELD_DEFINITION
  directive @aws_cognito_user_pools(cognito_groups: [String!]) on OBJECT | FIELD_DEFINITION
  directive @aws_subscribe(mutations: [String!]) on FIELD_DEFINITION
`;

/** One field of an API: `Query.listMessages`. */
export type ApiField = { type: string; field: string };

/** The fields of the root types, each of which has its own ARN in AppSync. Throws for an invalid schema. */
export function rootFieldsOf(source: string): ApiField[] {
  const schema = parseApiSchema(source);
  return [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}).map((field) => ({ type: type?.name ?? '', field })),
  );
}

/**
 * Returns the first difference between two schemas, or null. The fields of object types are compared with their
 * arguments, result types and authorization directives; descriptions are not. A deployed schema may have more fields.
 * Throws for an invalid schema.
 */
export function findSchemaDifference(expectedSource: string, deployedSource: string): string | null {
  const deployed = describeFields(parseApiSchema(deployedSource));
  for (const [name, expected] of describeFields(parseApiSchema(expectedSource))) {
    const actual = deployed.get(name);
    if (actual === undefined) return `${name} is missing`;
    if (actual !== expected) return `${name} is "${actual}" instead of "${expected}"`;
  }
  return null;
}

function parseApiSchema(source: string): GraphQLSchema {
  // AppSync may list the definitions of its own scalars and directives.
  const own = source.replace(/^(?:scalar AWS\w+|directive @aws_[^\n]*(?:\n[ \t]+[^\n]*)*)$/gm, '');
  return buildSchema(APPSYNC_DEFINITIONS + own);
}

function describeFields(schema: GraphQLSchema): Map<string, string> {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return new Map(
    types.flatMap((type) =>
      Object.values(type.getFields()).map((field): [string, string] => {
        const args = field.args.map((arg) => `${arg.name}: ${arg.type}`).sort();
        const directives = [field.astNode, type.astNode]
          .map((node) => (node?.directives ?? []).map(({ name }) => `@${name.value}`).sort())
          .find((names) => names.length > 0);
        const signature = `${field.name}(${args.join(', ')}): ${field.type}`;
        return [`${type.name}.${field.name}`, [signature, ...(directives ?? [])].join(' ')];
      }),
    ),
  );
}

/** `schema.graphql` with what AppSync defines. */
import { readFileSync } from 'node:fs';
import { buildASTSchema, concatAST, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { validateSDL } from 'graphql/validation/validate.js';

export const SCHEMA = 'schema.graphql';

/** The scalars and directives that AppSync defines, as far as the schema uses them. */
const appsyncDefinitions = `
  scalar AWSDate
  scalar AWSTime
  scalar AWSDateTime
  scalar AWSTimestamp
  scalar AWSEmail
  scalar AWSURL
  directive @aws_iam on FIELD_DEFINITION | OBJECT
  directive @aws_cognito_user_pools(cognito_groups: [String!]) on FIELD_DEFINITION | OBJECT
  directive @aws_subscribe(mutations: [String!]!) on FIELD_DEFINITION
`;

/** The text of the schema with what AppSync defines. */
export function readSchema(): string {
  return appsyncDefinitions + readFileSync(SCHEMA, 'utf8');
}

/** The schema, or else the mistakes in it, with their places in the file. */
export function buildSiteSchema(): { schema?: GraphQLSchema; errors: readonly GraphQLError[] } {
  try {
    const document = concatAST([parse(appsyncDefinitions), parse(readFileSync(SCHEMA, 'utf8'))]);
    const errors = validateSDL(document);
    return errors.length > 0 ? { errors } : { schema: buildASTSchema(document), errors };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
}

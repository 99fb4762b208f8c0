import { type DocumentNode, execute, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { z } from 'zod';
import type { DynamoDb } from '../dynamodb/dynamodb.ts';
import { type CloudRequest, type CloudResponse, type Handler, json } from '../http/exchange.ts';
import { buildApiSchema, type Caller, readApiSchema } from './api-schema.ts';
import {
  appSyncHeaders,
  describeDocumentError,
  describeFieldError,
  RequestError,
  requestErrorResponse,
} from './appsync-errors.ts';
import { type CallerDeps, identifyCaller } from './callers.ts';
import { documentErrors, selectsField } from './document-rules.ts';
import { createDynamoDbDataSource } from './dynamodb-data-source.ts';
import { loadResolvers } from './resolvers.ts';

export type DataApiDeps = CallerDeps & {
  dynamoDb: Pick<DynamoDb, 'call'>;
  /** The text of the schema. The default is `schema.graphql` of the project. */
  schema?: string;
  /** Returns the fields that the role of signed callers does not permit, such as `Mutation.deleteMessage`. */
  deniedFields?: () => readonly string[];
};

const operationSchema = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});
type Operation = z.infer<typeof operationSchema>;

type Result = { data: unknown; errors?: Record<string, unknown>[] };

const MAX_TOKENS = 2_000;

/**
 * Returns the handler of `/graphql`, a GraphQL API as AppSync provides it: operations are in the body of a POST, or in
 * the query of a GET, mutations too. An unauthorized or malformed request gets an error status. Errors of the document
 * or of a field are part of a 200 response. Throws when the schema is not valid.
 * https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html
 * https://github.com/graphql/graphql-over-http/issues/81
 */
export function createDataApi(deps: DataApiDeps): Handler {
  const resolvers = loadResolvers(createDynamoDbDataSource(deps.dynamoDb.call), deps.clock);
  const schema = buildApiSchema(deps.schema ?? readApiSchema(), resolvers);
  return async (request) => {
    if (request.method !== 'POST' && request.method !== 'GET') return methodNotAllowed();
    try {
      const caller = await identifyCaller(request, deps);
      const operation = parseOperation(request);
      const denied = caller.mode === 'iam' ? (deps.deniedFields?.() ?? []) : [];
      return json(200, await executeOperation(schema, operation, caller, denied), appSyncHeaders());
    } catch (error) {
      if (error instanceof RequestError) return requestErrorResponse(error);
      throw error;
    }
  };
}

function methodNotAllowed(): CloudResponse {
  const response = requestErrorResponse(new RequestError(405, 'BadRequestException', 'Use POST or GET.'));
  return { ...response, headers: { ...response.headers, allow: 'GET, POST' } };
}

function parseOperation({ method, url, body, headers }: CloudRequest): Operation {
  if (method === 'GET') return parseQuery(url.searchParams);
  const text = body.toString('utf8');
  if (text === '') throw malformed('Request body is empty.');
  if (headers['content-type']?.startsWith('application/graphql')) return { query: text };
  const operation = operationSchema.safeParse(parseJson(text));
  if (!operation.success) throw malformed('Unable to parse GraphQL query.');
  return operation.data;
}

/** Reads an operation from the query of a GET request, with its variables as JSON. */
function parseQuery(params: URLSearchParams): Operation {
  const [query, variables, operationName] = ['query', 'variables', 'operationName'].map((name) =>
    params.get(name),
  );
  const operation = operationSchema.safeParse({
    query,
    variables: variables ? parseJson(variables) : null,
    operationName,
  });
  if (!operation.success) throw malformed('Unable to parse GraphQL query.');
  return operation.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('Unable to parse GraphQL query.');
  }
}

function parseDocument(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: MAX_TOKENS });
  } catch (error) {
    if (error instanceof GraphQLError) throw malformed('Unable to parse GraphQL query.');
    throw error;
  }
}

async function executeOperation(
  schema: GraphQLSchema,
  operation: Operation,
  caller: Caller,
  deniedFields: readonly string[],
): Promise<Result> {
  const document = parseDocument(operation.query);
  const invalid = documentErrors(schema, document);
  if (invalid.length > 0) return { data: null, errors: invalid };
  if (selectsField(schema, document, deniedFields)) {
    throw new RequestError(401, 'UnauthorizedException', 'Permission denied');
  }
  const { data, errors } = await execute({
    schema,
    document,
    contextValue: caller,
    variableValues: operation.variables ?? null,
    operationName: operation.operationName ?? null,
  });
  // Without data nothing was executed, because a variable was not valid or the operation does not exist.
  const describe =
    data === undefined ? (error: GraphQLError) => describeDocumentError(error) : describeFieldError;
  return { data: data ?? null, ...(errors ? { errors: errors.map(describe) } : {}) };
}

function malformed(message: string): RequestError {
  return new RequestError(400, 'MalformedHttpRequestException', message);
}

import { type DocumentNode, execute, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { z } from 'zod';
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
import { documentErrors } from './document-rules.ts';
import { createMessageResolvers } from './message-resolvers.ts';
import type { MessageStore } from './message-store.ts';

export type DataApiDeps = CallerDeps & {
  messages: MessageStore;
  /** The text of the schema. The default is `schema.graphql` of the project. */
  schema?: string;
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
 * Returns the handler of `POST /graphql`, a GraphQL API as AppSync provides it. An unauthorized or malformed
 * request gets an error status. Errors of the document or of a field are part of a 200 response. Throws when the
 * schema is not valid.
 * https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html
 */
export function createDataApi(deps: DataApiDeps): Handler {
  const resolvers = createMessageResolvers(deps.messages);
  const schema = buildApiSchema(deps.schema ?? readApiSchema(), resolvers);
  return async (request) => {
    if (request.method !== 'POST') return methodNotAllowed();
    try {
      const caller = await identifyCaller(request, deps);
      const operation = parseOperation(request);
      return json(200, await executeOperation(schema, operation, caller), appSyncHeaders());
    } catch (error) {
      if (error instanceof RequestError) return requestErrorResponse(error);
      throw error;
    }
  };
}

function methodNotAllowed(): CloudResponse {
  const response = requestErrorResponse(
    new RequestError(405, 'BadRequestException', 'Only POST is answered.'),
  );
  return { ...response, headers: { ...response.headers, allow: 'POST' } };
}

function parseOperation({ body, headers }: CloudRequest): Operation {
  const text = body.toString('utf8');
  if (text === '') throw malformed('Request body is empty.');
  if (headers['content-type']?.startsWith('application/graphql')) return { query: text };
  const operation = operationSchema.safeParse(parseJson(text));
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
): Promise<Result> {
  const document = parseDocument(operation.query);
  const invalid = documentErrors(schema, document);
  if (invalid.length > 0) return { data: null, errors: invalid };
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

/** The data API: GraphQL over HTTP as AppSync speaks it. */
import { type DocumentNode, execute, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { z } from 'zod';
import { type CloudReply, type CloudRequest, type Handler, json } from '../http/exchange.ts';
import { buildApiSchema, type Caller, readApiSchema } from './api-schema.ts';
import {
  appSyncHeaders,
  describeDocumentError,
  describeFieldError,
  RequestRefusal,
  refusalReply,
} from './appsync-errors.ts';
import { type CallerDependencies, identifyCaller } from './callers.ts';
import { documentErrors } from './document-rules.ts';
import { createMessageResolvers } from './message-resolvers.ts';
import type { MessageStore } from './message-store.ts';

export type DataApiDependencies = CallerDependencies & {
  messages: MessageStore;
  /** The schema's text; left out, that of the project. */
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
 * Answers `POST /graphql`. A request that proves no caller or holds no GraphQL is refused with a status; what is wrong
 * with a document or a field comes with a 200. Throws when the schema is not valid.
 */
export function createDataApi(dependencies: DataApiDependencies): Handler {
  const resolvers = createMessageResolvers(dependencies.messages);
  const schema = buildApiSchema(dependencies.schema ?? readApiSchema(), resolvers);
  return async (request) => {
    if (request.method !== 'POST') return methodNotAllowed();
    try {
      const caller = await identifyCaller(request, dependencies);
      const operation = parseOperation(request);
      return json(200, await run(schema, operation, caller), appSyncHeaders());
    } catch (error) {
      if (error instanceof RequestRefusal) return refusalReply(error);
      throw error;
    }
  };
}

function methodNotAllowed(): CloudReply {
  const reply = refusalReply(new RequestRefusal(405, 'BadRequestException', 'Only POST is answered.'));
  return { ...reply, headers: { ...reply.headers, allow: 'POST' } };
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

async function run(schema: GraphQLSchema, operation: Operation, caller: Caller): Promise<Result> {
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
  // Without data nothing was run: variables that do not fit, or an operation that is not there.
  const describe =
    data === undefined ? (error: GraphQLError) => describeDocumentError(error) : describeFieldError;
  return { data: data ?? null, ...(errors ? { errors: errors.map(describe) } : {}) };
}

function malformed(message: string): RequestRefusal {
  return new RequestRefusal(400, 'MalformedHttpRequestException', message);
}

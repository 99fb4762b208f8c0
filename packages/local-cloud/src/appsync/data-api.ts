import { type DocumentNode, execute, GraphQLError, type GraphQLSchema, parse } from 'graphql';
import { decodeJwt } from 'jose';
import { z } from 'zod';
import type { DynamoDb } from '../dynamodb/dynamodb.ts';
import { type Clock, type CloudRequest, type Handler, json } from '../http/exchange.ts';
import type { IdentityKeys } from '../identity-pool/identity-pool.ts';
import type { Infra } from '../infra/infra.ts';
import { SignatureError, verifySignature } from '../sigv4/signature.ts';
import { TokenError, type Tokens } from '../user-pool/tokens.ts';
import { REGION, type UserPool } from '../user-pool/user-pool.ts';
import { buildApiSchema, type Caller } from './api-schema.ts';
import {
  appSyncHeaders,
  describeDocumentError,
  describeFieldError,
  RequestError,
  requestErrorResponse,
} from './appsync-errors.ts';
import { documentErrors, selectedFields } from './document-rules.ts';
import { createDynamoDbDataSource } from './dynamodb-data-source.ts';
import { iamIdentity, userPoolIdentity } from './resolver-context.ts';
import { loadResolvers } from './resolvers.ts';
import { createSubscriptions } from './subscriptions.ts';

export type DataApiDeps = {
  infra: Infra;
  clock: Clock;
  accessKeys: IdentityKeys;
  tokens: Tokens;
  identityPoolId: string;
  userPool: UserPool;
  dynamoDb: Pick<DynamoDb, 'call'>;
  /** Returns fields that no role permits, whatever the template says, such as `Mutation.deleteMessage`. */
  deniedFields: () => readonly string[];
};

export type DataApi = {
  /** Handles `POST /graphql`. */
  handler: Handler;
  /** Returns the caller of a request. Rejects with `RequestError`. */
  authorize(request: CloudRequest): Promise<Caller>;
  /** Subscribes as the request says, which is one that `handler` could get. Rejects with `RequestError`. */
  subscribe(request: CloudRequest, onPayload: (payload: object) => void): Promise<() => void>;
};

const operationSchema = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});
type Operation = z.infer<typeof operationSchema>;

const MAX_TOKENS = 2_000;

/**
 * Returns a GraphQL API as AppSync provides it. An unauthorized or malformed request gets
 * an error status. Errors of the document or of a field are part of a 200 response. Throws when the schema or a resolver
 * is not valid.
 * https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html
 * https://github.com/graphql/graphql-over-http/issues/81
 */
export function createDataApi(deps: DataApiDeps): DataApi {
  const { infra, dynamoDb, clock, deniedFields } = deps;
  const resolvers = loadResolvers(infra, createDynamoDbDataSource(dynamoDb.call), clock);
  const schema = buildApiSchema(infra.schema, resolvers);
  const subscriptions = createSubscriptions(schema);
  const authorize = async (request: CloudRequest) => identifyCaller(request, deps);
  return {
    authorize,
    async handler(request) {
      try {
        const caller = await authorize(request);
        const operation = parseOperation(request.body.toString('utf8'));
        const document = parseDocument(operation.query);
        const invalid = documentErrors(schema, document);
        const result =
          invalid.length > 0
            ? { data: null, errors: invalid }
            : await executeOperation(schema, { ...operation, document }, caller, deniedFields());
        if (result.data) await subscriptions.publish(document, result.data);
        return json(200, result, appSyncHeaders());
      } catch (error) {
        if (error instanceof RequestError) return requestErrorResponse(error);
        throw error;
      }
    },
    async subscribe(request, onPayload) {
      const caller = await authorize(request);
      const document = parseDocument(parseOperation(request.body.toString('utf8')).query);
      const [invalid] = documentErrors(schema, document);
      if (invalid) throw new RequestError(400, 'BadRequestException', String(invalid.message));
      rejectDenied(schema, document, caller, deniedFields());
      return subscriptions.add(document, caller, onPayload);
    },
  };
}

/**
 * Returns the caller. The `Authorization` header contains a Signature Version 4, or an ID token or access token with or
 * without the prefix "Bearer". Throws `RequestError` with status 401 for tokens and 403 for signatures.
 */
async function identifyCaller(request: CloudRequest, deps: DataApiDeps): Promise<Caller> {
  const { authorization } = request.headers;
  if (!authorization) throw unauthorized('Valid authorization header not provided.');
  return authorization.startsWith('AWS4-')
    ? identifySigner(request, deps)
    : identifyTokenOwner(request, authorization.replace(/^Bearer +/i, ''), deps);
}

async function identifySigner(request: CloudRequest, deps: DataApiDeps): Promise<Caller> {
  try {
    const key = await verifySignature(request, {
      region: REGION,
      service: 'appsync',
      now: deps.clock(),
      findAccessKey: (id) => deps.accessKeys.get(id),
    });
    const { identityPoolId, userPool } = deps;
    const identity = iamIdentity(key, { identityPoolId, providerName: userPool.providerName });
    return { mode: 'iam', role: key.role, identity, headers: request.headers, appendedErrors: [] };
  } catch (error) {
    if (error instanceof SignatureError) throw new RequestError(403, error.type, error.message);
    throw error;
  }
}

async function identifyTokenOwner(
  { headers }: CloudRequest,
  token: string,
  { tokens }: DataApiDeps,
): Promise<Caller> {
  try {
    const claims = await (readTokenUse(token) === 'id'
      ? tokens.verifyIdToken(token)
      : tokens.verifyAccessToken(token));
    const identity = userPoolIdentity(claims);
    return { mode: 'userPool', role: null, identity, headers, appendedErrors: [] };
  } catch (error) {
    if (error instanceof TokenError) {
      throw unauthorized(
        error.reason === 'expired' ? 'Token has expired.' : 'You are not authorized to make this call.',
      );
    }
    throw error;
  }
}

/** Returns the unverified `token_use` claim. It only selects the verification that follows. */
function readTokenUse(token: string): unknown {
  try {
    return decodeJwt(token).token_use;
  } catch {
    throw unauthorized('Unable to parse JWT token.');
  }
}

function parseOperation(body: string): Operation {
  if (body === '') throw malformed('Request body is empty.');
  try {
    return operationSchema.parse(JSON.parse(body));
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
  { document, ...operation }: Operation & { document: DocumentNode },
  caller: Caller,
  deniedFields: readonly string[],
): Promise<{ data: Record<string, unknown> | null; errors?: Record<string, unknown>[] }> {
  rejectDenied(schema, document, caller, deniedFields);
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
  const allErrors = [...(errors ?? []), ...caller.appendedErrors];
  return { data: data ?? null, ...(allErrors.length > 0 && { errors: allErrors.map(describe) }) };
}

/** Throws when the policies of the caller's role do not allow a field that a valid document selects. */
function rejectDenied(
  schema: GraphQLSchema,
  document: DocumentNode,
  { role }: Caller,
  deniedFields: readonly string[],
): void {
  const isDenied = ([type, field]: readonly [string, string]) =>
    role && (!role.allows(type, field) || deniedFields.includes(`${type}.${field}`));
  if (selectedFields(schema, document).some(isDenied)) throw unauthorized('Permission denied');
}

function malformed(message: string): RequestError {
  return new RequestError(400, 'MalformedHttpRequestException', message);
}

function unauthorized(message: string): RequestError {
  return new RequestError(401, 'UnauthorizedException', message);
}

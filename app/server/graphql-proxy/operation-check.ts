/**
 * What the data API's proxy lets through. Pure: the text of a request's body and the rule in, one operation or the
 * reason against it out. What goes on is rebuilt from the parts that were judged, never passed on as it came.
 * The request's form: https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters
 */
import {
  type DocumentNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  separateOperations,
} from 'graphql';
import { z } from 'zod';
import { bounds, costOf, exceededBound, FragmentError } from './operation-bounds.ts';
import { normalizeDocument, type Operation, type TrustedDocuments } from './trusted-documents.ts';

export type Variables = Record<string, unknown>;

export type GuardedOperation = Operation & { variables: Variables };

export type GuardRefusal = {
  status: 400 | 403;
  code:
    | 'MalformedJson'
    | 'MalformedRequest'
    | 'BatchingNotSupported'
    | 'MalformedDocument'
    | 'DocumentTooComplex'
    | 'OperationNotFound'
    | 'SubscriptionNotSupported'
    | 'IntrospectionNotAllowed'
    | 'UntrustedDocument';
  message: string;
};

export type GuardResult = { operation: GuardedOperation } | { refusal: GuardRefusal };

export type GuardPolicy = {
  /** Null: every operation within the bounds may pass. */
  trusted: TrustedDocuments | null;
};

const MAX_VARIABLES_DEPTH = 20;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/i);

/** Unknown members are ignored, as GraphQL over HTTP asks for, and not passed on. */
const requestSchema = z.object({
  query: z.string().optional(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  documentId: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/i)
    .optional(),
  extensions: z.object({ persistedQuery: z.object({ sha256Hash: sha256 }).optional() }).nullish(),
});

/** A refusal on its way out of the functions below. */
class Refused extends Error {
  constructor(readonly refusal: GuardRefusal) {
    super(refusal.message);
  }
}

/**
 * The one operation that a request body asks for, or why it is refused. A document is given as `query`, or, where it
 * is trusted, by its hash alone: `extensions.persistedQuery.sha256Hash` or `documentId` (`sha256:{hex}`). Of a
 * document with several operations only the named one goes on. Introspection is refused in either mode: the schema is
 * `schema.graphql`, for whoever may read it.
 */
export function guardOperation(body: string, policy: GuardPolicy): GuardResult {
  try {
    const request = readRequest(body);
    const { query, operationName, kind } = policy.trusted
      ? findTrusted(request, policy.trusted)
      : judgeDocument(request);
    return { operation: { query, operationName, kind, variables: request.variables ?? {} } };
  } catch (error) {
    if (error instanceof Refused) return { refusal: error.refusal };
    throw error;
  }
}

type GraphqlRequest = z.infer<typeof requestSchema>;

function readRequest(body: string): GraphqlRequest {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return refuse(400, 'MalformedJson', 'The body is not JSON.');
  }
  if (Array.isArray(json)) return refuse(400, 'BatchingNotSupported', 'One operation per request.');
  const result = requestSchema.safeParse(json);
  if (!result.success) {
    return refuse(400, 'MalformedRequest', 'The body is not a GraphQL request.');
  }
  if (!isShallow(result.data.variables, MAX_VARIABLES_DEPTH)) {
    return refuse(400, 'MalformedRequest', `Variables are nested in at most ${MAX_VARIABLES_DEPTH} levels.`);
  }
  return result.data;
}

function findTrusted(request: GraphqlRequest, trusted: TrustedDocuments): Operation {
  const hash = request.extensions?.persistedQuery?.sha256Hash ?? request.documentId?.slice('sha256:'.length);
  const byHash = hash === undefined ? null : trusted.byHash(hash);
  const operation =
    request.query === undefined
      ? byHash
      : (trusted.byText(request.query) ?? trusted.byText(normalizeDocument(parseDocument(request.query))));
  if (!operation || (hash !== undefined && byHash !== operation)) {
    return refuse(403, 'UntrustedDocument', 'Only operations that this site ships are accepted.');
  }
  if (request.operationName && request.operationName !== operation.operationName) {
    return refuse(400, 'OperationNotFound', 'The document has no operation of that name.');
  }
  return operation;
}

function judgeDocument({ query, operationName }: GraphqlRequest): Operation {
  if (query === undefined) return refuse(400, 'MalformedRequest', 'The request has no query.');
  const document = parseDocument(query);
  const definition = selectOperation(document, operationName ?? null);
  if (definition.operation === 'subscription') {
    return refuse(400, 'SubscriptionNotSupported', 'Subscriptions do not travel over this endpoint.');
  }
  const selected = separateOperations(document)[definition.name?.value ?? ''] ?? document;
  judgeCost(selected);
  return {
    query: normalizeDocument(selected),
    operationName: definition.name?.value ?? null,
    kind: definition.operation,
  };
}

function judgeCost(document: DocumentNode): void {
  const cost = measure(document);
  if (cost.introspects) refuse(403, 'IntrospectionNotAllowed', 'Introspection is not allowed.');
  const bound = exceededBound(cost);
  if (bound) refuse(400, 'DocumentTooComplex', `At most ${bounds[bound]} ${bound} are accepted.`);
}

function measure(document: DocumentNode) {
  try {
    return costOf(document);
  } catch (error) {
    if (error instanceof FragmentError) return refuse(400, 'MalformedDocument', error.message);
    throw error;
  }
}

function parseDocument(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: bounds.tokens, noLocation: true });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    if (error.message.includes('tokens')) {
      return refuse(400, 'DocumentTooComplex', `At most ${bounds.tokens} tokens are accepted.`);
    }
    return refuse(400, 'MalformedDocument', 'Unable to parse GraphQL query.');
  }
}

/** GetOperation (GraphQL section 6.1): the one that is named, or the only one. */
function selectOperation(document: DocumentNode, operationName: string | null): OperationDefinitionNode {
  const operations: OperationDefinitionNode[] = [];
  const names = new Set<string>();
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) {
      return refuse(400, 'MalformedDocument', 'Only operations and fragments are executable.');
    }
    const name = `${definition.kind} ${definition.name?.value ?? ''}`;
    if (names.has(name)) return refuse(400, 'MalformedDocument', 'Two definitions have the same name.');
    names.add(name);
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
  }
  const matches = operationName ? operations.filter(({ name }) => name?.value === operationName) : operations;
  const [match, ...others] = matches;
  if (match && others.length === 0) return match;
  return refuse(400, 'OperationNotFound', 'Name one operation of the document.');
}

/** Whether a JSON value has at most `levels` of objects and lists inside one another. Does not recurse. */
function isShallow(value: unknown, levels: number): boolean {
  let layer: unknown[] = [value];
  for (let level = 0; level <= levels; level += 1) {
    layer = layer.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (layer.length === 0) return true;
  }
  return false;
}

function refuse(status: GuardRefusal['status'], code: GuardRefusal['code'], message: string): never {
  throw new Refused({ status, code, message });
}

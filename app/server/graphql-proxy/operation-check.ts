/**
 * Validates the body of a GraphQL request. The result is one operation, rebuilt from its validated parts, or the reason
 * why the request is rejected. Format of the request:
 * https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters
 */
import { type DocumentNode, Kind, type OperationDefinitionNode, parse, separateOperations } from 'graphql';
import { z } from 'zod';
import type { Operation, OperationCall } from '../data-api/operation.ts';
import { bounds, exceededBound, FragmentError, measureCost } from './operation-bounds.ts';
import { normalizeDocument, type TrustedDocuments } from './trusted-documents.ts';

type OperationRejection = {
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

export type OperationCheckResult = { operation: OperationCall } | { rejection: OperationRejection };

export type OperationPolicy = {
  /** The only operations to accept. Null accepts every operation within the bounds. */
  trusted: TrustedDocuments | null;
};

const MAX_VARIABLES_DEPTH = 20;

/** Objects, lists, and what they contain. A mebibyte of JSON has room for half a million. */
const MAX_VALUES = 10_000;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/i);

/** Unknown members are ignored, as GraphQL over HTTP requires. */
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

type GraphqlRequest = z.infer<typeof requestSchema>;

class OperationRejectedError extends Error {
  constructor(readonly rejection: OperationRejection) {
    super(rejection.message);
  }
}

/**
 * The operation in a request body, or the reason why it is rejected. A trusted document can be named by its hash
 * instead of its text: as `extensions.persistedQuery.sha256Hash`, or as `documentId` (`sha256:{hex}`). Of a document
 * with several operations, the result contains only the named one. Introspection is always rejected: clients use
 * `schema.graphql`.
 */
export function checkOperation(body: string, policy: OperationPolicy): OperationCheckResult {
  try {
    const request = parseRequest(body);
    const { query, operationName, kind } = policy.trusted
      ? findTrustedOperation(request, policy.trusted)
      : checkDocument(request);
    return { operation: { query, operationName, kind, variables: request.variables ?? {} } };
  } catch (error) {
    if (error instanceof OperationRejectedError) return { rejection: error.rejection };
    throw error;
  }
}

function parseRequest(body: string): GraphqlRequest {
  if (hasManyValues(body)) {
    return reject(400, 'MalformedRequest', `The body may have at most ${MAX_VALUES} values.`);
  }
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return reject(400, 'MalformedJson', 'The body is not JSON.');
  }
  if (Array.isArray(json))
    return reject(400, 'BatchingNotSupported', 'Batches are not supported: send one operation per request.');
  const result = requestSchema.safeParse(json);
  if (!result.success) {
    return reject(400, 'MalformedRequest', 'The body is not a GraphQL request.');
  }
  if ((result.data.query?.length ?? 0) > bounds.characters) {
    return reject(400, 'DocumentTooComplex', `The limit for characters is ${bounds.characters}.`);
  }
  if (!isWithinDepth(result.data.variables, MAX_VARIABLES_DEPTH)) {
    return reject(
      400,
      'MalformedRequest',
      `Variables may be nested at most ${MAX_VARIABLES_DEPTH} levels deep.`,
    );
  }
  return result.data;
}

function findTrustedOperation(request: GraphqlRequest, trusted: TrustedDocuments): Operation {
  const hash = request.extensions?.persistedQuery?.sha256Hash ?? request.documentId?.slice('sha256:'.length);
  const byHash = hash === undefined ? null : trusted.byHash(hash);
  const operation = request.query === undefined ? byHash : trusted.byText(request.query);
  if (!operation || (hash !== undefined && byHash !== operation)) {
    return reject(403, 'UntrustedDocument', 'Only operations that this site ships are accepted.');
  }
  if (request.operationName && request.operationName !== operation.operationName) {
    return reject(400, 'OperationNotFound', 'The document has no operation of that name.');
  }
  return operation;
}

function checkDocument({ query, operationName }: GraphqlRequest): Operation {
  if (query === undefined) return reject(400, 'MalformedRequest', 'The request has no query.');
  const document = parseDocument(query);
  const definition = selectOperation(document, operationName ?? null);
  if (definition.operation === 'subscription') {
    return reject(400, 'SubscriptionNotSupported', 'Subscriptions are not supported.');
  }
  const selected = separateOperations(document)[definition.name?.value ?? ''] ?? document;
  checkCost(selected);
  return {
    query: normalizeDocument(selected),
    operationName: definition.name?.value ?? null,
    kind: definition.operation,
  };
}

function checkCost(document: DocumentNode): void {
  try {
    const cost = measureCost(document);
    if (cost.introspects) reject(403, 'IntrospectionNotAllowed', 'Introspection is not allowed.');
    const bound = exceededBound(cost);
    if (bound) reject(400, 'DocumentTooComplex', `The limit for ${bound} is ${bounds[bound]}.`);
  } catch (error) {
    if (error instanceof FragmentError) reject(400, 'MalformedDocument', error.message);
    throw error;
  }
}

function parseDocument(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: bounds.tokens, noLocation: true });
  } catch (error) {
    // Other messages may quote the document, which could contain these words.
    if (error instanceof Error && error.message.startsWith('Syntax Error: Document contains more')) {
      return reject(400, 'DocumentTooComplex', `The limit for tokens is ${bounds.tokens}.`);
    }
    return reject(400, 'MalformedDocument', 'Unable to parse GraphQL query.');
  }
}

/** The named operation, or the only one (`GetOperation`, GraphQL section 6.1). */
function selectOperation(document: DocumentNode, operationName: string | null): OperationDefinitionNode {
  const operations: OperationDefinitionNode[] = [];
  const names = new Set<string>();
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) {
      return reject(400, 'MalformedDocument', 'Only operations and fragments are executable.');
    }
    const name = `${definition.kind} ${definition.name?.value ?? ''}`;
    if (names.has(name)) return reject(400, 'MalformedDocument', 'Two definitions have the same name.');
    names.add(name);
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
  }
  const matches = operationName ? operations.filter(({ name }) => name?.value === operationName) : operations;
  const [match, ...others] = matches;
  if (match && others.length === 0) return match;
  return reject(400, 'OperationNotFound', 'operationName must name one operation of the document.');
}

/**
 * Whether a JSON text has more than `MAX_VALUES` values, judged before it is parsed: parsing an object with a hundred
 * thousand different keys takes as long as rendering dozens of pages. A value follows each comma and each opening bracket
 * outside of strings, so an empty object or list counts twice.
 */
function hasManyValues(json: string): boolean {
  let count = 1;
  let isInString = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') isInString = !isInString;
    else if (isInString) index += character === '\\' ? 1 : 0;
    else if (character === ',' || character === '[' || character === '{') count += 1;
    if (count > MAX_VALUES) return true;
  }
  return false;
}

/**
 * Whether a JSON value nests objects and arrays at most `maxDepth` levels deep. Iterative, so the stack cannot
 * overflow.
 */
function isWithinDepth(value: unknown, maxDepth: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return true;
  }
  return false;
}

function reject(
  status: OperationRejection['status'],
  code: OperationRejection['code'],
  message: string,
): never {
  throw new OperationRejectedError({ status, code, message });
}

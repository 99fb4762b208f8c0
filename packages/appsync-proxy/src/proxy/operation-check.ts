/**
 * Validates the body of a GraphQL request. The result is one of the operations that the site ships, with the variables of
 * the request, or the reason why the request is rejected. Format of the request:
 * https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters
 */

import { z } from 'zod';
import { parseJson } from '#upstream';
import type { OperationCall, ShippedOperation } from '../data-api/operation.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

type OperationRejection = {
  status: 400 | 403;
  code:
    | 'MalformedJson'
    | 'MalformedRequest'
    | 'BatchingNotSupported'
    | 'OperationNotFound'
    | 'UntrustedDocument';
  message: string;
};

export type OperationCheckResult = { operation: OperationCall } | { rejection: OperationRejection };

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

/**
 * The operation in a request body, or the reason why it is rejected. The document is compared with the texts that the site
 * ships, and not parsed. It can be named by its hash instead: as `extensions.persistedQuery.sha256Hash`, or as `documentId`
 * (`sha256:{hex}`).
 */
export function checkOperation(body: string, trusted: TrustedDocuments): OperationCheckResult {
  if (hasManyValues(body)) {
    return reject(400, 'MalformedRequest', `The body may have at most ${MAX_VALUES} values.`);
  }
  const json = parseJson(body);
  if (json === undefined) return reject(400, 'MalformedJson', 'The body is not JSON.');
  if (Array.isArray(json)) {
    return reject(400, 'BatchingNotSupported', 'Batches are not supported: send one operation per request.');
  }
  const { data: request } = requestSchema.safeParse(json);
  if (!request) return reject(400, 'MalformedRequest', 'The body is not a GraphQL request.');
  const { operationName, variables } = request;
  if (!isWithinDepth(variables, MAX_VARIABLES_DEPTH)) {
    const message = `Variables may be nested at most ${MAX_VARIABLES_DEPTH} levels deep.`;
    return reject(400, 'MalformedRequest', message);
  }
  const operation = findOperation(request, trusted);
  if (!operation) {
    return reject(403, 'UntrustedDocument', 'Only operations that this site ships are accepted.');
  }
  if (operationName && operationName !== operation.operationName) {
    return reject(400, 'OperationNotFound', 'The document has no operation of that name.');
  }
  return { operation: { ...operation, variables: variables ?? {} } };
}

/** The shipped operation that a request names by its text, by its hash, or by both. */
function findOperation(
  { query, extensions, documentId }: GraphqlRequest,
  trusted: TrustedDocuments,
): ShippedOperation | null {
  const hash = extensions?.persistedQuery?.sha256Hash ?? documentId?.slice('sha256:'.length);
  const byHash = hash === undefined ? null : trusted.byHash(hash);
  if (query === undefined) return byHash;
  const byText = trusted.byText(query);
  return hash === undefined || byHash === byText ? byText : null;
}

/**
 * Whether a JSON text has more than `MAX_VALUES` values, judged before it is parsed: an object with a hundred
 * thousand different keys takes long to parse. A value follows each comma and each opening bracket
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
): OperationCheckResult {
  return { rejection: { status, code, message } };
}

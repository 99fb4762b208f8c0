/**
 * AppSync's error formats. An error of the request has its own status. Errors of a document or a field are part of
 * a response with status 200.
 */
import { randomUUID } from 'node:crypto';
import type { GraphQLError } from 'graphql';
import { type CloudResponse, json } from '../http/exchange.ts';

/** Rejects a whole request with a status. */
export class RequestError extends Error {
  override readonly name = 'RequestError';

  constructor(
    readonly status: number,
    readonly errorType: string,
    message: string,
  ) {
    super(message);
  }
}

/** Thrown or appended by a resolver. Clients distinguish errors by `errorType`. */
export class FieldError extends Error {
  override readonly name = 'FieldError';

  constructor(
    readonly errorType: string | null,
    message: string,
    readonly data: unknown = null,
    readonly errorInfo: unknown = null,
  ) {
    super(message);
  }
}

/** Returns the headers that every AppSync response has. */
export function appSyncHeaders(): Record<string, string> {
  return { 'x-amzn-requestid': randomUUID(), 'x-amzn-appsync-tokensconsumed': '1' };
}

/** Returns the response for a rejected request. */
export function requestErrorResponse({ status, errorType, message }: RequestError): CloudResponse {
  return json(
    status,
    { errors: [{ errorType, message }] },
    { ...appSyncHeaders(), 'x-amzn-errortype': errorType },
  );
}

/** Returns AppSync's form of an error in a document, for which no field was resolved. */
export function describeDocumentError(error: GraphQLError, message = error.message): Record<string, unknown> {
  return { path: null, locations: locationsOf(error), message };
}

/** Returns AppSync's form of an error in a field. Rethrows errors other than `FieldError`. */
export function describeFieldError(error: GraphQLError): Record<string, unknown> {
  const cause = error.originalError;
  if (!(cause instanceof FieldError)) throw cause ?? error;
  const { errorType, message, data, errorInfo } = cause;
  return {
    path: error.path ?? null,
    data,
    errorType,
    errorInfo,
    locations: locationsOf(error),
    message,
  };
}

function locationsOf({
  locations,
}: GraphQLError): { line: number; column: number; sourceName: null }[] | null {
  return locations?.map(({ line, column }) => ({ line, column, sourceName: null })) ?? null;
}

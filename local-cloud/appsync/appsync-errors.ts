/** How AppSync says that something is wrong: of a request with a status, of a document or a field within a 200. */
import { randomUUID } from 'node:crypto';
import type { GraphQLError } from 'graphql';
import { ZodError } from 'zod';
import { type CloudReply, json } from '../http/exchange.ts';

/** A request that is not carried out at all. */
export class RequestRefusal extends Error {
  override readonly name = 'RequestRefusal';

  constructor(
    readonly status: number,
    readonly errorType: string,
    message: string,
  ) {
    super(message);
  }
}

/** A field that could not be resolved. `errorType` is what clients switch on. */
export class FieldError extends Error {
  override readonly name = 'FieldError';

  constructor(
    readonly errorType: string,
    message: string,
  ) {
    super(message);
  }
}

/** The headers that every answer carries. */
export function appSyncHeaders(): Record<string, string> {
  return { 'x-amzn-requestid': randomUUID(), 'x-amzn-appsync-tokensconsumed': '1' };
}

/** A refusal as it is sent. */
export function refusalReply({ status, errorType, message }: RequestRefusal): CloudReply {
  return json(
    status,
    { errors: [{ errorType, message }] },
    { ...appSyncHeaders(), 'x-amzn-errortype': errorType },
  );
}

/** An error of a document: no field was resolved. */
export function describeDocumentError(error: GraphQLError, message = error.message): Record<string, unknown> {
  return { path: null, locations: locationsOf(error), message };
}

/** An error of a field. Throws what the field threw when that is not something that a resolver means to answer. */
export function describeFieldError(error: GraphQLError): Record<string, unknown> {
  const { errorType, message } = reasonOf(error);
  return {
    path: error.path ?? null,
    data: null,
    errorType,
    errorInfo: null,
    locations: locationsOf(error),
    message,
  };
}

function reasonOf(error: GraphQLError): { errorType: string; message: string } {
  const cause = error.originalError;
  if (cause instanceof FieldError) return cause;
  if (cause instanceof ZodError) {
    return { errorType: 'ValidationError', message: cause.issues[0]?.message ?? '' };
  }
  throw cause ?? error;
}

function locationsOf({
  locations,
}: GraphQLError): { line: number; column: number; sourceName: null }[] | null {
  return locations?.map(({ line, column }) => ({ line, column, sourceName: null })) ?? null;
}

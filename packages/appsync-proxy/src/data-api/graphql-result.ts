/**
 * GraphQL results of the data API, reduced to what the browser may receive: data unchanged, errors without the
 * upstream's messages.
 */

import { z } from 'zod';
import { parseJson } from '#upstream';

type OperationError = {
  message: string;
  errorType: string;
  /** Response keys and list indices, from the root (GraphQL section 7.1.6). */
  path?: (string | number)[];
};

export type GraphqlResult<Data = unknown> = {
  data: Data | null;
  /** Empty when the operation succeeded. */
  errors: readonly OperationError[];
};

/** AppSync's own error types that have the same meaning as one of the resolvers. */
const synonyms = new Map([
  // AppSync rejects a page token with it.
  ['DynamoDB:UserIllegalArgumentException', 'ValidationError'],
]);

/** The error types that a browser may learn, with their messages. */
const KNOWN_TYPES = [
  ['ValidationError', 'The input is not valid.'],
  ['Unauthorized', 'Not authorized.'],
  ['NotFound', 'Not found.'],
  ['PermissionDenied', 'The data API is not configured for this operation.'],
] as const;

export type ErrorMessages = ReadonlyMap<string, string>;

/** The messages for the known error types and for those of an app. */
export function createErrorMessages(errorTypes: Readonly<Record<string, string>>): ErrorMessages {
  return new Map<string, string>([...KNOWN_TYPES, ...Object.entries(errorTypes)]);
}

/** The error type for fields without the directive of the authorization mode. It replaces AppSync's `Unauthorized`. */
export const PERMISSION_DENIED = 'PermissionDenied';

/** AppSync's own message. The site's resolvers use `Unauthorized` with other messages. */
const MISSING_DIRECTIVE = /^Not Authorized to access /;

const UNKNOWN_TYPE = 'DataApiError';
const UNKNOWN_MESSAGE = 'The data API could not execute the operation.';

const errorSchema = z.object({
  errorType: z.string().nullish(),
  message: z.string().nullish(),
  path: z.array(z.union([z.string(), z.number()])).nullish(),
});

const resultSchema = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(errorSchema).nullish(),
});

/** The result in a response body. Null when the text is not a GraphQL response (GraphQL section 7.1). */
export function parseGraphqlResult(text: string, messages: ErrorMessages): GraphqlResult | null {
  const { data: result } = resultSchema.safeParse(parseJson(text));
  if (!result || (result.data === undefined && !result.errors?.length)) return null;
  return {
    data: result.data ?? null,
    errors: (result.errors ?? []).map((error) => toOperationError(error, messages)),
  };
}

/** The first error in the body of an AppSync error response, or undefined. */
export function parseFirstError(body: unknown): z.infer<typeof errorSchema> | undefined {
  return resultSchema.safeParse(body).data?.errors?.[0];
}

function toOperationError(
  { path, ...error }: z.infer<typeof errorSchema>,
  messages: ErrorMessages,
): OperationError {
  const type = typeOf(error);
  const message = messages.get(type);
  return {
    message: message ?? UNKNOWN_MESSAGE,
    errorType: message ? type : UNKNOWN_TYPE,
    ...(path ? { path } : {}),
  };
}

function typeOf({ errorType, message }: Pick<z.infer<typeof errorSchema>, 'errorType' | 'message'>): string {
  const type = errorType ?? '';
  if (type === 'Unauthorized' && MISSING_DIRECTIVE.test(message ?? '')) return PERMISSION_DENIED;
  return synonyms.get(type) ?? type;
}

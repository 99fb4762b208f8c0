/**
 * What of the data API's answers may reach a browser. Data goes as it is; of an error only its place and, where it is
 * one of the schema's own, its type: the rest is the upstream's business. Pure.
 */
import { z } from 'zod';

export type OperationError = {
  message: string;
  errorType: string;
  /** Response keys and list positions, from the root (GraphQL section 7.1.6). */
  path?: (string | number)[];
};

export type GraphqlResult<Data = unknown> = {
  data: Data | null;
  /** Empty when all went well. */
  errors: readonly OperationError[];
};

/** The types that our resolvers answer with, and a sentence of ours for each. */
const messages = new Map([
  ['ValidationError', 'The input is not valid.'],
  ['Unauthorized', 'Not authorized.'],
  ['NotFound', 'Not found.'],
]);

const UNKNOWN_TYPE = 'DataApiError';
const UNKNOWN_MESSAGE = 'The data API could not answer this.';

const errorSchema = z.object({
  errorType: z.string().nullish(),
  path: z.array(z.union([z.string(), z.number()])).nullish(),
});

const resultSchema = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(errorSchema).nullish(),
});

/** The result in a response's text, errors reduced; null when the text is no GraphQL result (section 7.1). */
export function readGraphqlResult(text: string): GraphqlResult | null {
  const { data: result } = resultSchema.safeParse(parseJson(text));
  if (!result || (result.data === undefined && !result.errors?.length)) return null;
  return { data: result.data ?? null, errors: (result.errors ?? []).map(reduceError) };
}

/** The code in a failed answer that comes in GraphQL's shape, as AppSync's do; null when there is none. */
export function readErrorType(body: unknown): string | null {
  const { data: result } = resultSchema.safeParse(body);
  return result?.errors?.[0]?.errorType ?? null;
}

/** What JSON says, or undefined for what is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reduceError({ errorType, path }: z.infer<typeof errorSchema>): OperationError {
  const message = errorType ? messages.get(errorType) : undefined;
  return {
    message: message ?? UNKNOWN_MESSAGE,
    errorType: errorType && message ? errorType : UNKNOWN_TYPE,
    ...(path ? { path } : {}),
  };
}

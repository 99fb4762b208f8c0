/** Why an operation is rejected. `code` is for programs, `message` for developers. */
export type Rejection = { status: number; code: string; message?: string; headers?: Record<string, string> };

/**
 * The body of a rejection: a GraphQL response without data (GraphQL section 7.1), with the code as `errorType`, as AppSync
 * writes it, and the request id.
 */
export function graphqlError(
  { code, message = '' }: Rejection,
  requestId: string,
): { type: string; json: string } {
  const errors = [{ message, errorType: code }];
  const json = JSON.stringify({ data: null, errors, extensions: { requestId } });
  return { type: 'application/json; charset=utf-8', json };
}

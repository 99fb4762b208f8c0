import type { OperationCall } from '@tenfold/appsync-proxy';

/** `errorType` is the type of the first error, or null if there is none. */
export type ProxyResponse<Data> = { status: number; data: Data | null; errorType: string | null };

/**
 * Sends one of the site's operations to the GraphQL proxy. With `keepalive` the request continues when the visitor leaves
 * the page. Rejects with a `TypeError` if the site cannot be reached.
 */
export async function postOperation<Data, Variables>(
  { query, operationName, variables }: OperationCall<Data, Variables>,
  { keepalive = false }: { keepalive?: boolean } = {},
): Promise<ProxyResponse<Data>> {
  const response = await fetch('/api/graphql', {
    method: 'POST',
    keepalive,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, operationName, variables }),
  });
  // The proxy responds with a GraphQL result, whatever the status. A proxy in front of the site may respond otherwise.
  const result: { data?: Data | null; errors?: { errorType?: string }[] } | null = await response
    .json()
    .catch(() => null);
  return {
    status: response.status,
    data: result?.data ?? null,
    errorType: result?.errors?.[0]?.errorType ?? null,
  };
}

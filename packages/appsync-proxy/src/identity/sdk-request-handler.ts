import { type Dispatcher, request } from 'undici';

/** The part of the SDK's `HttpRequest` that the operations of the identity pool use. */
type SdkRequest = {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  body: string;
};

/**
 * Returns a request handler of the AWS SDK that sends through `dispatcher` and reads the whole response. The SDK's own knows
 * no proxies.
 */
export function createRequestHandler(dispatcher: Dispatcher) {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(
      { protocol, hostname, port, path, method, headers, body }: SdkRequest,
      { abortSignal: signal }: { abortSignal?: AbortSignal } = {},
    ) {
      const url = new URL(path, `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`);
      const response = await request(url, { dispatcher, method, headers, body, signal });
      const received = Object.entries(response.headers).map(
        ([name, value]) => [name, String(value)] as const,
      );
      return {
        response: {
          statusCode: response.statusCode,
          headers: Object.fromEntries(received),
          body: new Uint8Array(await response.body.arrayBuffer()),
        },
      };
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  };
}

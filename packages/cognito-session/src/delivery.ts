/** Puts the cookies of a session on what a loader or an action of Remix returns or throws. */
import { data } from '@remix-run/node';

/** What `data()` of Remix returns. */
type Data<Value> = ReturnType<typeof data<Value>>;

/** What a wrapped handler returns in place of `Result`. Remix reads the type of the value from it, Dates included. */
export type Delivered<Result> = Result extends Response | Data<unknown> ? Result : Data<Result>;

/** The `Set-Cookie` lines of a response, and whether it is for one visitor only. */
export type Delivery = { lines: readonly string[]; isPersonal: boolean };

const NO_STORE = 'private, no-store';

/** Returns the result with the cookies. A response with cookies, or for one visitor, is stored by no cache. */
export function deliver<Result>(result: Result, delivery: Delivery): Delivered<Result>;
export function deliver(result: unknown, delivery: Delivery): Response | Data<unknown> {
  if (result instanceof Response) return deliverResponse(result, delivery);
  const { data: value, init } = isData(result) ? result : data(result);
  return data(value, { ...init, headers: withDelivery(new Headers(init?.headers), delivery) });
}

/** Whether Remix sends what was thrown as a response. It sends any other error without headers. */
export function isResponse(thrown: unknown): thrown is Response | Data<unknown> {
  return thrown instanceof Response || isData(thrown);
}

/** Returns the response with the cookies. The headers of a redirect may be immutable, so that it is copied. */
export function deliverResponse(response: Response, delivery: Delivery): Response {
  const { status, statusText, body } = response;
  return new Response(body, {
    ...{ status, statusText },
    headers: withDelivery(new Headers(response.headers), delivery),
  });
}

function withDelivery(headers: Headers, { lines, isPersonal }: Delivery): Headers {
  for (const line of lines) headers.append('set-cookie', line);
  if (headers.has('set-cookie') || (isPersonal && !headers.has('cache-control'))) {
    headers.set('cache-control', NO_STORE);
  }
  return headers;
}

type HeadersArgs = {
  loaderHeaders: Headers;
  parentHeaders: Headers;
  actionHeaders: Headers;
  errorHeaders: Headers | undefined;
};

/**
 * The `headers` export of a route: the `Cache-Control` of its loader, or else of the route around it. It is
 * `private, no-store` when any of them sets a cookie, or has a value for one visitor.
 */
export function headers(args: HeadersArgs): Record<string, string> {
  const { loaderHeaders, parentHeaders, actionHeaders, errorHeaders } = args;
  const sources = [errorHeaders, actionHeaders, loaderHeaders, parentHeaders];
  const values = sources.flatMap((source) => source?.get('cache-control') ?? []);
  const isPrivate =
    sources.some((source) => source?.has('set-cookie')) || values.some((value) => value.includes('no-store'));
  const [value] = isPrivate ? [NO_STORE] : values;
  return value === undefined ? {} : { 'cache-control': value };
}

/** `data()` returns an object of a class that Remix does not export. */
function isData(value: unknown): value is Data<unknown> {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && 'type' in value && value.type === 'DataWithResponseInit' && 'data' in value;
}

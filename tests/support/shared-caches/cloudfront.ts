/**
 * A model of CloudFront with the distribution of `infra/template.yaml`: its function, policies and error responses. It
 * behaves as the CloudFront Developer Guide says, and where that is silent, as is worst for the site.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createContext, Script } from 'node:vm';
import { evaluateResources, evaluationOf } from '../../../packages/aws/tests/support/resource-values.ts';
import { parseTemplate } from '../../../packages/aws/tests/support/template-yaml.ts';
import { closeServer } from '../http/loopback-server.ts';

/** `isBare` is a cookie without an equals sign, which the function sees as an empty one. */
type Value = { value: string; multiValue?: { value: string }[]; isBare?: true };

/** The request as a function gets it and changes it. */
type FunctionRequest = {
  method: string;
  uri: string;
  querystring: Record<string, Value>;
  headers: Record<string, Value>;
  cookies: Record<string, Value>;
};

type Answer = { status: number; headers: Record<string, string | string[]>; body: Buffer };
type Stored = { answer: Answer; freshUntil: number; isServedStale: boolean };
type Result = { answer: Answer; detail: string };

/** The name that CloudFront gives to the distribution, from its Developer Guide. */
export const DISTRIBUTION_DOMAIN = 'd111111abcdef8.cloudfront.net';

export type CloudFront = {
  /** Removes every stored response, as an invalidation of `/*` does. */
  invalidate(): void;
  stop(): Promise<void>;
};

/** Starts the model on a port, in front of the site's. `now` is its clock, in milliseconds. */
export async function startCloudFront(
  { port, sitePort }: { port: number; sitePort: number },
  now: () => number,
): Promise<CloudFront> {
  const distribution = readDistribution();
  const runFunction = createFunction(distribution.FunctionCode);
  const { Headers: keyHeaders } = distribution.ParametersInCacheKeyAndForwardedToOrigin.HeadersConfig;
  const { AllowedMethods: methods } = distribution.DefaultCacheBehavior;
  const stored = new Map<string, Stored>();
  const inFlight = new Map<string, Promise<Result>>();
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  let count = 0;

  const load = async (key: string, sent: FunctionRequest, query: string, body: Buffer, visitor: string) => {
    const previous = stored.get(key);
    try {
      const tag = previous?.answer.headers.etag;
      const headers = toSite(sent, visitor, typeof tag === 'string' ? tag : null);
      const request = { method: sent.method, path: sent.uri + query, headers, body };
      const answer = await ask(agent, sitePort, request);
      if (answer.status === 304 && previous) {
        const mergedHeaders = { ...previous.answer.headers, ...answer.headers };
        const revalidated = { ...previous.answer, headers: mergedHeaders };
        store(key, revalidated);
        return { answer: revalidated, detail: 'RefreshHit' };
      }
      if (answer.status >= 500 && previous?.isServedStale)
        return { answer: previous.answer, detail: 'Stale' };
      store(key, answer);
      return { answer, detail: 'Miss' };
    } catch {
      if (previous?.isServedStale) return { answer: previous.answer, detail: 'Stale' };
      const headers = { 'content-type': 'text/html', 'x-cache': 'Error from cloudfront' };
      return { answer: { status: 502, headers, body: Buffer.from('502') }, detail: 'Error' };
    }
  };

  const store = (key: string, answer: Answer) => {
    const seconds = lifetimeOf(answer, distribution);
    const isServedStale = !/stale-if-error=0/.test(String(answer.headers['cache-control'] ?? ''));
    // A response without a lifetime is still an old object, which is sent when the site does not respond.
    stored.set(key, { answer, freshUntil: now() + seconds * 1000, isServedStale });
  };

  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await buffer(incoming);
    const { method = '', headers } = incoming;
    const hasBody = (method === 'GET' || method === 'HEAD') && body.length > 0;
    // A distribution serves only its own names, of which one is that of CloudFront.
    const isForOther = headers.host !== `localhost:${port}` && headers.host !== DISTRIBUTION_DOMAIN;
    if (hasBody || isForOther || !methods.includes(method)) return void outgoing.writeHead(403).end();
    const { request, query } = parseRequest(incoming);
    const id = `request-${++count}==`;
    const sent = runFunction({
      version: '1.0',
      context: { eventType: 'viewer-request', requestId: id, distributionId: 'EDFDVBD6EXAMPLE' },
      viewer: { ip: '198.51.100.1' },
      request,
    });
    const codings = acceptedCodings(sent.headers['accept-encoding']?.value ?? '');
    const keyed = keyHeaders.map((name) => sent.headers[name]?.value ?? '');
    // A response to HEAD is stored for itself.
    const key = JSON.stringify([sent.method === 'HEAD', sent.uri, ...keyed, codings]);
    if (codings === '') delete sent.headers['accept-encoding'];
    else sent.headers['accept-encoding'] = { value: codings };
    const isRead = method === 'GET' || method === 'HEAD';
    const found = isRead ? stored.get(key) : undefined;
    let result: Result;
    if (found && now() < found.freshUntil) result = { answer: found.answer, detail: 'Hit' };
    else if (!isRead) result = await load(`${key} ${id}`, sent, query, body, id);
    else {
      // Requests with the same key share one request to the site, also if its response may not be stored.
      const flight =
        inFlight.get(key) ?? load(key, sent, query, body, id).finally(() => inFlight.delete(key));
      inFlight.set(key, flight);
      result = await flight;
    }
    send(outgoing, method, sent.headers['if-none-match']?.value, result, distribution);
  };

  const server = createServer({ maxHeaderSize: 64 * 1024 }, (incoming, outgoing) => {
    respond(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, resolve));
  return {
    invalidate: () => stored.clear(),
    stop() {
      agent.destroy();
      return closeServer(server);
    },
  };
}

type Distribution = ReturnType<typeof readDistribution>;

/** The properties of the template that the model follows. */
type EdgeProperties = {
  PageCachePolicy: {
    CachePolicyConfig: {
      MinTTL: number;
      DefaultTTL: number;
      MaxTTL: number;
      ParametersInCacheKeyAndForwardedToOrigin: { HeadersConfig: { Headers: string[] } };
    };
  };
  PageHeadersPolicy: {
    ResponseHeadersPolicyConfig: {
      CustomHeadersConfig: { Items: { Header: string; Value: string; Override: boolean }[] };
      RemoveHeadersConfig: { Items: { Header: string }[] };
    };
  };
  Distribution: {
    DistributionConfig: {
      DefaultCacheBehavior: { AllowedMethods: string[] };
      CustomErrorResponses: { ErrorCode: number; ErrorCachingMinTTL: number }[];
    };
  };
  PageKeyFunction: { FunctionCode: string };
};

function readDistribution() {
  const template = parseTemplate(readFileSync('infra/template.yaml', 'utf8'));
  const parameters = { SiteServer: 'server.example.com', SiteDomain: 'example.com' };
  const place = {
    region: 'eu-central-1',
    account: '123456789012',
    stackName: 'tenfold',
    stackId: 'arn:aws:cloudformation:eu-central-1:123456789012:stack/tenfold/1',
  };
  const resources = evaluateResources(evaluationOf(template, parameters, place));
  const properties = <Name extends keyof EdgeProperties>(id: Name) =>
    // The validator of AWS has checked the properties of the template.
    resources.get(id)?.properties as unknown as EdgeProperties[Name];
  return {
    ...properties('PageKeyFunction'),
    ...properties('PageCachePolicy').CachePolicyConfig,
    ...properties('PageHeadersPolicy').ResponseHeadersPolicyConfig,
    ...properties('Distribution').DistributionConfig,
  };
}

/** The function in a context of its own, which has nothing but the language. It gets and returns plain data. */
function createFunction(code: string): (event: unknown) => FunctionRequest {
  const context = createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
  new Script(code).runInContext(context);
  const call = new Script('(text) => JSON.stringify(handler(JSON.parse(text)))').runInContext(context);
  return (event) => JSON.parse(call(JSON.stringify(event)));
}

/** Headers, cookies and query as CloudFront passes them to a function: by name, with all values of a repeated one. */
function parseRequest({ method = '', url = '/', rawHeaders }: IncomingMessage) {
  // A visitor chooses these names.
  const headers: Record<string, Value> = Object.create(null);
  const cookies: Record<string, Value> = Object.create(null);
  const add = (target: Record<string, Value>, name: string, value: string) => {
    const known = target[name];
    if (!known) target[name] = { value };
    else known.multiValue = [...(known.multiValue ?? [{ value: known.value }]), { value }];
  };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (name.toLowerCase() !== 'cookie') {
      add(headers, name.toLowerCase(), value);
      continue;
    }
    for (const pair of value.split(';')) {
      const equals = pair.indexOf('=');
      const cookie = (equals === -1 ? pair : pair.slice(0, equals)).trim();
      if (cookie === '') continue;
      add(cookies, cookie, equals === -1 ? '' : pair.slice(equals + 1).trim());
      if (equals === -1 && cookies[cookie]) cookies[cookie].isBare = true;
    }
  }
  const path = url.replace(/^https?:\/\/[^/]*/, '') || '/';
  const mark = path.indexOf('?');
  const [uri, query] = mark === -1 ? [path, ''] : [path.slice(0, mark), path.slice(mark)];
  const querystring: Record<string, Value> = Object.create(null);
  for (const pair of query.slice(1).split('&'))
    if (pair !== '') add(querystring, pair.split('=', 1)[0] ?? '', pair);
  return { request: { method, uri, querystring, headers, cookies }, query };
}

/** What `allViewer` and all cookies send on. */
function toSite({ headers, cookies }: FunctionRequest, visitor: string, tag: string | null): string[] {
  const lines: string[] = [];
  for (const [name, { value, multiValue }] of Object.entries(headers)) {
    if (/^(?:connection|if-none-match|expect|upgrade|te|transfer-encoding)$/.test(name)) continue;
    for (const each of multiValue ?? [{ value }]) lines.push(name, each.value);
  }
  const pairs = Object.entries(cookies).flatMap(([name, { value, multiValue, isBare }]) =>
    isBare ? [name] : (multiValue ?? [{ value }]).map((each) => `${name}=${each.value}`),
  );
  if (pairs.length > 0) lines.push('cookie', pairs.join('; '));
  if (tag !== null) lines.push('if-none-match', tag);
  return [...lines, 'via', '1.1 cloudfront', 'x-amz-cf-id', visitor];
}

async function ask(
  agent: Agent,
  port: number,
  { body, ...options }: { method: string; path: string; headers: string[]; body: Buffer },
): Promise<Answer> {
  const request = httpRequest({ ...options, host: '127.0.0.1', port, agent });
  // An error ends the response too, which rejects below. Without a response it rejects `once`.
  request.on('error', () => {});
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const headers = response.headers as Answer['headers'];
  return { status: response.statusCode ?? 0, headers, body: await buffer(response) };
}

/** For how many seconds a response is fresh. */
function lifetimeOf(
  { status, headers }: Answer,
  { MinTTL, DefaultTTL, MaxTTL, CustomErrorResponses }: Distribution,
): number {
  const cacheControl = String(headers['cache-control'] ?? '');
  if (status >= 400) {
    return CustomErrorResponses.find(({ ErrorCode }) => ErrorCode === status)?.ErrorCachingMinTTL ?? 10;
  }
  if (/private|no-store|no-cache/.test(cacheControl)) return MinTTL;
  const stated = /(?:s-maxage|max-age)=(\d+)/.exec(cacheControl)?.[1];
  const seconds = stated === undefined ? DefaultTTL : Number(stated);
  return Math.min(Math.max(seconds, MinTTL), MaxTTL);
}

function acceptedCodings(acceptEncoding: string): string {
  return ['br', 'gzip']
    .filter((coding) => new RegExp(`(?:^|[, ])${coding}(?:,|$)`).test(acceptEncoding))
    .join(',');
}

function send(
  outgoing: ServerResponse,
  method: string,
  tag: string | undefined,
  { answer, detail }: Result,
  { CustomHeadersConfig, RemoveHeadersConfig }: Distribution,
): void {
  const { connection: _connection, 'transfer-encoding': _coding, ...headers } = answer.headers;
  for (const { Header } of RemoveHeadersConfig.Items) Reflect.deleteProperty(headers, Header.toLowerCase());
  for (const { Header, Value, Override } of CustomHeadersConfig.Items) {
    const name = Header.toLowerCase();
    if (Override || !(name in headers)) headers[name] = Value;
  }
  headers['cache-status'] =
    `CloudFront; ${detail === 'Hit' || detail === 'Stale' ? 'hit' : 'fwd=miss'}; detail=${detail}`;
  const isCurrent = answer.status === 200 && tag !== undefined && tag === headers.etag;
  if (isCurrent) {
    const {
      'content-length': _length,
      'content-type': _type,
      'content-encoding': _encoding,
      ...known
    } = headers;
    outgoing.writeHead(304, known).end();
  } else outgoing.writeHead(answer.status, headers).end(method === 'HEAD' ? undefined : answer.body);
}

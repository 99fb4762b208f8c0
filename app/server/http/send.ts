/**
 * Writes every response of the site: its head, cookies and content coding, conditional requests, log line and metrics.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import fresh from 'fresh';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { createRequestLog } from '../observability/request-log.ts';
import { createCodingChoice, encodeAs } from './content-coding.ts';
import { type EventStreams, isEventStream } from './event-streams.ts';
import {
  CLIENT_CLOSED_REQUEST,
  type Exchange,
  type FileBody,
  type Head,
  type PreparedResponse,
  type SiteResponse,
} from './exchange.ts';
import type { ResponseHeads } from './response-head.ts';
import { sendFile } from './send-file.ts';

export type Send = (exchange: Exchange, response: SiteResponse | PreparedResponse) => Promise<void>;

type SendDeps = {
  heads: ResponseHeads;
  log: Log;
  metrics: Pick<Metrics, 'requestEnded'>;
  eventStreams: EventStreams;
};

/** A shorter body fits into one packet together with the head. */
const MIN_COMPRESSED_BYTES = 1024;

const COMPRESSIBLE = /^(?:text\/|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|xml|javascript))/;

/**
 * Creates the one function that sends responses. It resolves when the response is complete or the client has
 * disconnected.
 */
export function createSend({ heads, log, metrics, eventStreams }: SendDeps): Send {
  const logRequest = createRequestLog({ log, metrics });
  const chooseCoding = createCodingChoice();

  const headOf = (exchange: Exchange, status: number, headers: SiteResponse['headers']): Head =>
    heads.complete(exchange, heads.fix(status, headers));

  const write = async (exchange: Exchange, response: SiteResponse): Promise<void> => {
    if (isNotModified(exchange, response.headers.etag)) {
      const { 'content-type': _type, 'content-length': _length, ...headers } = response.headers;
      return writeWhole(exchange, 304, headOf(exchange, 304, headers), null);
    }
    const { status, headers, body = null } = await encode(exchange, response, chooseCoding);
    const head = headOf(exchange, status, headers);
    if (body instanceof Readable) {
      const streams = isEventStream(headers['content-type']) ? eventStreams : null;
      return writeStream(exchange, status, head, body, streams);
    }
    if (isFile(body)) return sendFile(exchange, body, head, write);
    writeWhole(exchange, status, head, body);
  };

  const writePrepared = (
    exchange: Exchange,
    { etag, head, notModifiedHead, body }: PreparedResponse,
  ): void => {
    if (isNotModified(exchange, etag)) {
      writeWhole(exchange, 304, heads.complete(exchange, notModifiedHead), null);
    } else {
      writeWhole(exchange, 200, heads.complete(exchange, head), body);
    }
  };

  return async (exchange, response) => {
    const { response: outgoing } = exchange;
    if (!outgoing.destroyed) {
      if ('notModifiedHead' in response) writePrepared(exchange, response);
      else await write(exchange, response);
    }
    cancelBody(response);
    logRequest(exchange, outgoing.headersSent ? outgoing.statusCode : CLIENT_CLOSED_REQUEST);
  };
}

/** Cancels a stream that is not sent, or not to its end, so that its source can clean up. */
export function cancelBody({ body }: SiteResponse | PreparedResponse): void {
  if (body instanceof Readable) body.destroy();
}

/** The headers of a prepared response. Their ETag is what conditional requests are compared with. */
export type PreparedHeaders = Readonly<Record<string, string>> & { readonly etag: string };

/** Makes a response ready to be sent many times. */
export function prepareResponse(
  heads: ResponseHeads,
  headers: PreparedHeaders,
  body: Buffer,
  isForCache: boolean,
): PreparedResponse {
  const { 'content-type': _type, 'content-encoding': _coding, ...known } = headers;
  return {
    etag: headers.etag,
    head: heads.fix(200, headers, isForCache),
    notModifiedHead: heads.fix(304, known, isForCache),
    body,
  };
}

function writeWhole(
  { method, response }: Exchange,
  status: number,
  head: Head,
  body: string | Uint8Array | null,
): void {
  if (body !== null) head.push('content-length', String(Buffer.byteLength(body)));
  else if (status !== 204 && status !== 304 && method !== 'HEAD') head.push('content-length', '0');
  response.writeHead(status, toHeaderList(head)).end(method === 'HEAD' ? null : body);
}

async function writeStream(
  { method, response }: Exchange,
  status: number,
  head: Head,
  body: Readable,
  eventStreams: EventStreams | null,
): Promise<void> {
  response.writeHead(status, toHeaderList(head));
  if (method === 'HEAD') return void response.end();
  // The first bytes of the body may come much later.
  response.flushHeaders();
  eventStreams?.add(response);
  // It fails when the client disconnects or the source fails. `pipeline` has then destroyed both streams, so that the
  // source is canceled and can clean up.
  await pipeline(body, response).catch(() => {});
}

/** Node's types lack lists of values, which `writeHead` accepts for headers such as `Set-Cookie`. */
function toHeaderList(head: Head): string[] {
  return head as string[];
}

/** Whether the client already has this response (RFC 9110 section 13). */
function isNotModified(
  { method, headers }: Exchange,
  etag: SiteResponse['headers'][string] | undefined,
): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (typeof etag !== 'string') return false;
  const ifNoneMatch = headers.get('if-none-match');
  return ifNoneMatch !== null && fresh({ 'if-none-match': ifNoneMatch }, { etag });
}

/** Compresses a text in memory by the best coding that the client accepts. */
async function encode(
  { method, headers: requestHeaders, vary }: Exchange,
  response: SiteResponse,
  chooseCoding: ReturnType<typeof createCodingChoice>,
): Promise<SiteResponse> {
  const { headers, body } = response;
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  const type = headers['content-type'];
  if (!isText || typeof type !== 'string' || !COMPRESSIBLE.test(type) || 'content-encoding' in headers) {
    return response;
  }
  vary.push('Accept-Encoding');
  const coding = chooseCoding(requestHeaders.get('accept-encoding') ?? undefined);
  if (coding === 'identity' || method === 'HEAD' || body.length < MIN_COMPRESSED_BYTES) return response;
  const bytes =
    typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length);
  const encoded = await encodeAs(coding, bytes, 'quick');
  return { ...response, headers: { ...headers, 'content-encoding': coding }, body: encoded };
}

function isFile(body: SiteResponse['body']): body is FileBody {
  return typeof body === 'object' && body !== null && 'directory' in body;
}

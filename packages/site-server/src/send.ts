/**
 * Writes every response of the site: its head, cookies and content coding, conditional requests, log line and metrics.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import fresh from 'fresh';
import { createCodingChoice, encodeAs } from './content-coding.ts';
import { discardRest } from './discarded-rest.ts';
import { type EventStreams, isEventStream } from './event-streams.ts';
import { CLIENT_CLOSED_REQUEST, type Exchange, type FileBody, type SiteResponse } from './exchange.ts';
import type { Log } from './log/log.ts';
import { createRequestLog } from './log/request-log.ts';
import type { CompleteHead, Head } from './response-head.ts';
import type { ServerMetrics, ServerRules } from './rules.ts';
import { sendFile } from './send-file.ts';

export type Send = (exchange: Exchange, response: SiteResponse) => Promise<void>;

type SendDeps = {
  rules: Pick<ServerRules, 'isRoutine'>;
  completeHead: CompleteHead;
  log: Log;
  metrics: Pick<ServerMetrics, 'requestEnded'>;
  eventStreams: EventStreams;
};

/** A shorter body fits into one packet together with the head. */
const MIN_COMPRESSED_BYTES = 1024;

const COMPRESSIBLE = /^(?:text\/|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|xml|javascript))/;

/**
 * Creates the one function that sends responses. It resolves when the response is complete or the client has
 * disconnected.
 */
export function createSend({ rules, completeHead, log, metrics, eventStreams }: SendDeps): Send {
  const logRequest = createRequestLog({ rules, log, metrics });
  const chooseCoding = createCodingChoice();

  const write = async (exchange: Exchange, response: SiteResponse): Promise<void> => {
    if (isNotModified(exchange, response.headers.etag)) {
      const {
        'content-type': _type,
        'content-length': _length,
        'content-encoding': _coding,
        ...headers
      } = response.headers;
      return writeWhole(exchange, 304, completeHead(exchange, 304, headers), null);
    }
    const { status, headers, body = null } = await encode(exchange, response, chooseCoding);
    const head = completeHead(exchange, status, headers);
    if (!(body instanceof Readable) && !isFile(body)) return writeWhole(exchange, status, head, body);
    // Only GET requests get these, whose body nothing reads.
    if (!exchange.request.complete) await discardRest(exchange.request);
    if (isFile(body)) return sendFile(exchange, body, head, write);
    return writeStream(
      exchange,
      status,
      head,
      body,
      isEventStream(headers['content-type']) ? eventStreams : null,
    );
  };

  return async (exchange, response) => {
    const { response: outgoing } = exchange;
    if (!outgoing.destroyed) await write(exchange, response);
    cancelBody(response);
    logRequest(exchange, outgoing.headersSent ? outgoing.statusCode : CLIENT_CLOSED_REQUEST);
  };
}

/** Cancels a stream that is not sent, or not to its end, so that its source can clean up. */
export function cancelBody({ body }: SiteResponse): void {
  if (body instanceof Readable) body.destroy();
}

/** The client gets the response at once, but while it is still sending, the response is not ended. */
async function writeWhole(
  { method, request, response }: Exchange,
  status: number,
  head: Head,
  body: string | Uint8Array | null,
): Promise<void> {
  if (body !== null) head['content-length'] = String(Buffer.byteLength(body));
  else if (status !== 204 && status !== 304 && method !== 'HEAD') head['content-length'] = '0';
  const bytes = method === 'HEAD' ? null : body;
  response.writeHead(status, head);
  if (request.complete) return void response.end(bytes);
  response.flushHeaders();
  if (bytes !== null) response.write(bytes);
  await discardRest(request);
  response.end();
}

async function writeStream(
  { method, response }: Exchange,
  status: number,
  head: Head,
  body: Readable,
  eventStreams: EventStreams | null,
): Promise<void> {
  response.writeHead(status, head);
  if (method === 'HEAD') return void response.end();
  // The first bytes of the body may come much later.
  response.flushHeaders();
  if (eventStreams) return eventStreams.send(body, response);
  // It fails when the client disconnects or the source fails. `pipeline` has then destroyed both streams, so that the
  // source is canceled and can clean up.
  await pipeline(body, response).catch(() => {});
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
  const encoded = await encodeAs(coding, bytes);
  return { ...response, headers: { ...headers, 'content-encoding': coding }, body: encoded };
}

function isFile(body: SiteResponse['body']): body is FileBody {
  return typeof body === 'object' && body !== null && 'directory' in body;
}

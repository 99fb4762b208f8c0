/** A load generator in this process: prepared requests over keep-alive connections, one at a time on each. */
import { connect, type Socket } from 'node:net';
import { type BenchRequest, toRequestText } from './http-request.ts';

export type LoadOptions = {
  port: number;
  /** Sent in turn. */
  requests: readonly BenchRequest[];
  connections: number;
  /** When to stop: after this many milliseconds, or after this many responses. */
  until: { ms: number } | { responses: number };
};

export type LoadResult = {
  responses: number;
  /** Responses with a status of 500 or above. */
  failed: number;
  seconds: number;
};

/** Sends requests until the limit is reached. Rejects when a connection breaks. */
export async function generateLoad(options: LoadOptions): Promise<LoadResult> {
  const { port, requests, connections, until } = options;
  const texts = requests.map((request) => Buffer.from(toRequestText(request)));
  const startedAt = performance.now();
  const deadline = 'ms' in until ? startedAt + until.ms : Number.POSITIVE_INFINITY;
  const limit = 'responses' in until ? until.responses : Number.POSITIVE_INFINITY;
  let [sent, responses, failed] = [0, 0, 0];
  const next = () => {
    if (sent >= limit || performance.now() >= deadline) return null;
    return texts[sent++ % texts.length] ?? null;
  };
  const count = (status: number) => {
    responses += 1;
    if (status >= 500) failed += 1;
  };
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => drive(socket, next, count)));
  return { responses, failed, seconds: (performance.now() - startedAt) / 1000 };
}

/** Sends what `next` returns over one connection, each request after the response to the last one, until it is null. */
function drive(socket: Socket, next: () => Buffer | null, count: (status: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let read = createResponseReader();
    const send = () => {
      const request = next();
      if (request) socket.write(request);
      else socket.end(resolve);
    };
    socket.setNoDelay(true);
    socket.once('connect', send);
    socket.on('data', (chunk: Buffer) => {
      const status = read(chunk);
      if (status === null) return;
      count(status);
      read = createResponseReader();
      send();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The server closed a connection')));
  });
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const MAX_HEAD = 32 * 1024;

/** Reads one response chunk by chunk. Returns its status when it is complete, and null before. */
export function createResponseReader(): (chunk: Buffer) => number | null {
  let start: Buffer = Buffer.alloc(0);
  let received = 0;
  let head: Head | null = null;
  return (chunk) => {
    received += chunk.length;
    if (!head || head.length === null)
      start = received === chunk.length ? chunk : Buffer.concat([start, chunk]);
    head ??= readHead(start);
    if (!head) return null;
    if (head.length !== null) return received >= head.length ? head.status : null;
    return start.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) ? head.status : null;
  };
}

/** `length` is the number of bytes of the complete response; null when it has chunked transfer coding. */
type Head = { status: number; length: number | null };

function readHead(bytes: Buffer): Head | null {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) {
    if (bytes.length > MAX_HEAD) throw new Error('A response without a head');
    return null;
  }
  const text = bytes.toString('latin1', 0, end);
  const status = Number(text.slice(9, 12));
  if (/\r\ntransfer-encoding: *chunked/i.test(text)) return { status, length: null };
  const body = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? '0';
  return { status, length: end + HEAD_END.length + Number(body) };
}

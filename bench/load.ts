/** A load generator that costs little beside a server on the same machine: ready-made bytes over kept connections. */
import { connect, type Socket } from 'node:net';

export type LoadRequest = {
  port: number;
  /** Whole HTTP/1.1 requests, sent in turn. */
  requests: readonly string[];
  connections: number;
  /** Until so many milliseconds have passed, or so many requests were answered. */
  until: { ms: number } | { answers: number };
};

export type LoadResult = {
  answers: number;
  perSecond: number;
  /** Answers of status 500 and above. */
  failed: number;
};

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const MAX_HEAD = 32 * 1024;

/** Sends the next request on a connection as soon as the last one is answered. Rejects when a connection breaks. */
export async function load({ port, requests, connections, until }: LoadRequest): Promise<LoadResult> {
  const bytes = requests.map((request) => Buffer.from(request));
  const startedAt = performance.now();
  const deadline = 'ms' in until ? startedAt + until.ms : Number.POSITIVE_INFINITY;
  const limit = 'answers' in until ? until.answers : Number.POSITIVE_INFINITY;
  let [sent, answers, failed] = [0, 0, 0];
  const next = () => {
    if (answers >= limit || performance.now() >= deadline) return null;
    return bytes[sent++ % bytes.length] ?? null;
  };
  const count = (status: number) => {
    answers += 1;
    if (status >= 500) failed += 1;
  };
  await Promise.all(
    Array.from({ length: connections }, () => drive(connect(port, '127.0.0.1'), next, count)),
  );
  return { answers, failed, perSecond: (answers * 1000) / (performance.now() - startedAt) };
}

/** One connection: sends what `next` gives until that is null. */
function drive(socket: Socket, next: () => Buffer | null, count: (status: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let reader = createReader();
    const send = () => {
      const request = next();
      if (request) socket.write(request);
      else socket.end(resolve);
    };
    socket.setNoDelay(true);
    socket.once('connect', send);
    socket.on('data', (chunk: Buffer) => {
      const status = reader(chunk);
      if (status === null) return;
      count(status);
      reader = createReader();
      send();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server closed a connection')));
  });
}

/** Reads one answer: its status once the last byte of it is there, before that null. */
function createReader(): (chunk: Buffer) => number | null {
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
    const isWhole = start.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
    return isWhole ? head.status : null;
  };
}

/** `length` is that of the whole answer; null for one in chunks. */
type Head = { status: number; length: number | null };

function readHead(bytes: Buffer): Head | null {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) {
    if (bytes.length > MAX_HEAD) throw new Error('an answer without a head');
    return null;
  }
  const text = bytes.toString('latin1', 0, end);
  const status = Number(text.slice(9, 12));
  if (/\r\ntransfer-encoding: *chunked/i.test(text)) return { status, length: null };
  const body = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? '0';
  return { status, length: end + HEAD_END.length + Number(body) };
}

/** The text of a request as a browser would send it, with what the site asks of one. */
export function requestText({ method = 'GET', path, host, headers = {}, body = '' }: RequestParts): string {
  const lines = Object.entries({
    host,
    ...headers,
    ...(body ? { 'content-length': String(Buffer.byteLength(body)) } : {}),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

export type RequestParts = {
  method?: string;
  path: string;
  host: string;
  headers?: Record<string, string>;
  body?: string;
};

/** Attacks by the bytes of a request: garbage after a valid request, and uploads past the limit. */
import { setTimeout as delay } from 'node:timers/promises';
import { openRawSocket, parseStatuses } from '../http/raw-socket.ts';
import { shippedMutation, shippedQuery } from '../http/shipped-operations.ts';
import { examplePath, other } from '../this-site.ts';
import { openHostileSocket, requestText } from './hostile-socket.ts';
import { type AttackResult, attack, type VictimOptions } from './victim.ts';

const FORM = 'application/x-www-form-urlencoded';
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
const MEBIBYTE = 1024 * 1024;
const PATIENCE_MS = 10_000;

/** What may follow a valid request. */
const GARBAGE = [
  'garbage\r\n\r\n',
  '\0\0\0\0',
  'POST /x HTTP/9.9\r\n\r\n',
  'GET / HTTP/1.1\r\nhost : x\r\n\r\n',
];

const listCall = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(shippedQuery),
};

/** Posts messages, each followed by bytes that are no request. Each stored message must have its response. */
export function postBeforeGarbage(options: VictimOptions = {}): Promise<AttackResult> {
  return attack(options, async (victim) => {
    const ada = await victim.signUp('ada');
    const seen: string[] = [];
    let passed = true;
    for (const [index, garbage] of GARBAGE.entries()) {
      const content = `message-${index}`;
      const headers = {
        ...SAME_ORIGIN,
        'content-type': 'application/json',
        cookie: ada.cookies.header(),
      };
      const mutation = shippedMutation(content);
      const post = { method: 'POST', path: '/api/graphql', headers, body: JSON.stringify(mutation) };
      const socket = await openRawSocket(victim.site.origin);
      socket.write(requestText(victim.site.origin, post) + garbage);
      const statuses = parseStatuses(await socket.readUntilClosed(PATIENCE_MS));
      // An action may still run after the connection has been closed.
      if (!statuses.includes(200)) await delay(500);
      const isStored = (await ada.request('/api/graphql', listCall)).body.includes(content);
      passed &&= isStored && `${statuses}` === '200,400';
      seen.push(`${isStored ? 'stored' : 'not stored'} ${statuses.join(' ')}`);
    }
    return { passed, result: seen.join(', ') };
  });
}

/** Sends ten mebibytes to a form although the response has arrived, by `fetch` and by bare connections. */
export function keepUploading(options: VictimOptions = {}): Promise<AttackResult> {
  return attack(options, async (victim) => {
    const { origin } = victim.site;
    const ada = await victim.signUp('ada');
    const cookie = ada.cookies.header();
    const types = {
      '/preferences': FORM,
      [examplePath(other)]: FORM,
      '/auth/sign-out': FORM,
      '/api/graphql': 'application/json',
      '/csp-reports': 'application/csp-report',
    };
    const seen: string[] = [];
    for (const [path, type] of Object.entries(types)) {
      const headers = { ...SAME_ORIGIN, 'content-type': type, cookie };
      seen.push(`${path} declared ${await uploadBySocket(origin, path, headers, true)}`);
      seen.push(`${path} in chunks ${await uploadBySocket(origin, path, headers, false)}`);
      seen.push(`${path} by fetch ${await uploadByFetch(origin, path, headers)}`);
    }
    const failed = seen.filter((line) => !line.endsWith(' 413'));
    return {
      passed: failed.length === 0,
      result: `413 for ${seen.length - failed.length} of ${seen.length} uploads; ${failed.join(', ')}`,
    };
  });
}

async function uploadBySocket(
  origin: string,
  path: string,
  headers: Record<string, string>,
  isDeclared: boolean,
): Promise<string> {
  const socket = await openHostileSocket(origin);
  const framing: Record<string, string> = isDeclared
    ? { 'content-length': String(10 * MEBIBYTE) }
    : { 'transfer-encoding': 'chunked' };
  socket.write(requestText(origin, { method: 'POST', path, headers: { ...headers, ...framing } }));
  const part = Buffer.alloc(MEBIBYTE, 'x');
  for (let index = 0; index < 10; index++) {
    if (!isDeclared) socket.write(`${MEBIBYTE.toString(16)}\r\n`);
    socket.write(part);
    if (!isDeclared) socket.write('\r\n');
    await delay(20);
  }
  // The client reads only after it has sent everything, as many do.
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => (received += text));
  socket.resume();
  for (let waited = 0; waited < 3000 && !socket.closed && received === ''; waited += 50) await delay(50);
  const statuses = parseStatuses(received);
  socket.destroy();
  return statuses.join(' ') || 'no response';
}

async function uploadByFetch(origin: string, path: string, headers: Record<string, string>): Promise<string> {
  const body = new Uint8Array(10 * MEBIBYTE);
  return fetch(origin + path, { method: 'POST', headers, body, redirect: 'manual' }).then(
    ({ status }) => String(status),
    (error) => String(error.cause ?? error),
  );
}

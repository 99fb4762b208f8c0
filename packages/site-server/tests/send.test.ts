import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { sendRaw } from '../../../tests/support/http/raw-request.ts';
import { openRawSocket } from '../../../tests/support/http/raw-socket.ts';
import { type StepServer, serveSteps } from '../../../tests/support/http/step-server.ts';
import type { SiteResponse, Step } from '../src/exchange.ts';

let server: StepServer;
afterEach(() => server.close());

const serve = async (step: Step) => {
  server = await serveSteps(() => [step]);
};
const send = (method = 'GET', headers: Record<string, string> = {}) =>
  sendRaw(server.origin, { method, path: '/', headers });

/** A response with 1,024 bytes, the shortest that is compressed. */
const text = (headers: SiteResponse['headers'] = {}): SiteResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain', ...headers },
  body: 'a'.repeat(1024),
});

describe('the coding of a response', () => {
  it.each([
    ['text/html; charset=utf-8', true],
    ['image/svg+xml', true],
    ['application/json', true],
    ['application/xml', true],
    ['application/javascript', true],
    ['application/vnd.api-1.0+json', true],
    ['image/png', false],
    ['application/octet-stream', false],
    ['x-text/plain', false],
  ])('of the type %s is compressed: %s', async (type, isCompressed) => {
    await serve(() => text({ 'content-type': type }));
    const { headers } = await send('GET', { 'accept-encoding': 'br' });
    expect(headers['content-encoding']).toBe(isCompressed ? 'br' : undefined);
    expect(headers.vary).toBe(isCompressed ? 'Accept-Encoding' : undefined);
  });

  it('is one that the client accepts, and its length is that of what is sent', async () => {
    await serve(() => text());
    const response = await fetch(server.origin, { headers: { 'accept-encoding': 'br' } });
    expect(await response.text()).toBe('a'.repeat(1024));
    expect(Number(response.headers.get('content-length'))).toBeLessThan(100);
    const { headers } = await send();
    expect([headers['content-encoding'], headers['content-length']]).toEqual([undefined, '1024']);
  });

  it.each<[string, SiteResponse, string | undefined]>([
    ['a text as bytes', { ...text(), body: Buffer.alloc(2000, 'b') }, 'br'],
    ['a short text', { ...text(), body: 'a'.repeat(1023) }, undefined],
    ['a text that has one', text({ 'content-encoding': 'gzip' }), 'gzip'],
    ['a text of unknown type', { ...text(), headers: {} }, undefined],
    ['a stream', { ...text(), body: Readable.from(['a'.repeat(2000)]) }, undefined],
  ])('of %s is right for a client that accepts Brotli', async (_what, response, coding) => {
    await serve(() => response);
    const { headers } = await send('GET', { 'accept-encoding': 'br' });
    expect(headers['content-encoding']).toBe(coding);
  });
});

describe('the length of a response', () => {
  it.each<[string, SiteResponse, string | undefined]>([
    ['GET', { status: 200, headers: {}, body: 'é' }, '2'],
    ['HEAD', { status: 200, headers: {}, body: 'é' }, '2'],
    ['GET', { status: 302, headers: {} }, '0'],
    ['POST', { status: 200, headers: {}, body: '' }, '0'],
    ['GET', { status: 204, headers: {} }, undefined],
    ['GET', { status: 304, headers: {} }, undefined],
    ['HEAD', { status: 200, headers: {} }, undefined],
  ])('for %s of %o is %s', async (method, response, length) => {
    await serve(() => response);
    const { headers, body } = await send(method);
    expect(headers['content-length']).toBe(length);
    expect(body).toBe(method === 'HEAD' ? '' : String(response.body ?? ''));
  });

  it('for HEAD is that without a coding', async () => {
    await serve(() => text());
    const { headers } = await send('HEAD', { 'accept-encoding': 'br' });
    expect([headers['content-encoding'], headers['content-length']]).toEqual([undefined, '1024']);
  });
});

describe('a response whose ETag the client has', () => {
  const tagged = () => text({ etag: '"1"', 'cache-control': 'no-cache' });

  it.each(['GET', 'HEAD'])('is 304 without a body and its description, for %s', async (method) => {
    const described = { ...tagged().headers, 'content-length': '1024' };
    await serve(() => ({ ...tagged(), headers: described }));
    const { status, headers, body } = await send(method, { 'if-none-match': '"0", W/"1"' });
    expect([status, body]).toEqual([304, '']);
    expect(headers).toMatchObject({ etag: '"1"', 'cache-control': 'no-cache' });
    expect([headers['content-type'], headers['content-length']]).toEqual([undefined, undefined]);
  });

  it.each<[string, string, Record<string, string>, SiteResponse]>([
    ['without the header', 'GET', {}, tagged()],
    ['with another ETag', 'GET', { 'if-none-match': '"2"' }, tagged()],
    ['for POST', 'POST', { 'if-none-match': '"1"' }, tagged()],
    ['without an ETag of its own', 'GET', { 'if-none-match': '*' }, text()],
  ])('is sent again %s', async (_when, method, headers, response) => {
    await serve(() => response);
    expect((await send(method, headers)).status).toBe(200);
  });
});

describe('a stream', () => {
  it('is sent whole, and for HEAD not at all', async () => {
    await serve(() => ({
      status: 201,
      headers: { 'content-type': 'text/html' },
      body: Readable.from(['a', 'b']),
    }));
    expect(await send()).toMatchObject({ status: 201, body: 'ab' });
    expect(await send('HEAD')).toMatchObject({ status: 201, body: '' });
  });

  it.each<[string, string, Record<string, string>]>([
    ['for HEAD', 'HEAD', {}],
    ['to a client that has it', 'GET', { 'if-none-match': '"1"' }],
  ])('that is not sent is canceled without being read: %s', async (_when, method, headers) => {
    let isRead = false;
    const body = new Readable({
      read() {
        isRead = true;
        this.push(null);
      },
    });
    await serve(() => ({ status: 200, headers: { etag: '"1"' }, body }));
    expect((await send(method, headers)).body).toBe('');
    await expect.poll(() => body.destroyed).toBe(true);
    expect(isRead).toBe(false);
  });

  it('is canceled when the client has left before it begins', async () => {
    const body = new Readable({ read: () => undefined });
    let isWaiting = false;
    await serve(async ({ response }) => {
      isWaiting = true;
      await expect.poll(() => response.destroyed).toBe(true);
      return { status: 200, headers: {}, body };
    });
    const wire = await openRawSocket(server.origin);
    wire.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await expect.poll(() => isWaiting).toBe(true);
    wire.destroy();
    await expect.poll(() => body.destroyed).toBe(true);
  });

  it('that fails ends the connection, so that no client takes it for complete', async () => {
    await serve(() => {
      const body = new Readable({ read: () => undefined });
      body.push('begun');
      setImmediate(() => body.destroy(new Error('failed')));
      return { status: 200, headers: {}, body };
    });
    const wire = await openRawSocket(server.origin);
    wire.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    const received = await wire.readUntilClosed();
    expect(received).toContain('begun');
    expect(received).not.toMatch(/\r\n0\r\n\r\n$/);
    await expect.poll(() => server.lines()).toMatchObject([{ status: 200 }]);
  });
});

describe('a response in its content coding', () => {
  const own = { 'content-type': 'text/html', 'content-encoding': 'br', 'x-frame-options': 'SAMEORIGIN' };
  const encoded = () => ({ status: 200, headers: { etag: '"1"', ...own }, body: Buffer.from('hello') });

  it('has the headers of every response, its own, a request id, its length, and no body for HEAD', async () => {
    await serve(encoded);
    expect((await send()).body).toBe('hello');
    const { status, headers, body } = await send('HEAD');
    expect([status, body]).toEqual([200, '']);
    expect(headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
      'x-content-type-options': 'nosniff',
      'content-length': '5',
      etag: '"1"',
      ...own,
    });
  });

  it('that the client has is 304 without its type, coding and length', async () => {
    await serve(encoded);
    const { status, headers, body } = await send('GET', { 'if-none-match': '"1"' });
    expect([status, body, headers.etag]).toEqual([304, '', '"1"']);
    const known = ['content-type', 'content-encoding', 'content-length'].filter((name) => name in headers);
    expect(known).toEqual([]);
  });
});

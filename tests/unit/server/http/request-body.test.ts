import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import {
  bodyLimitOf,
  concatChunks,
  readBody,
  readForm,
  readWebBody,
} from '../../../../app/server/http/request-body.ts';

const FORM = 'application/x-www-form-urlencoded';

/** A stream of `count` chunks with four bytes each, and how many of them were read. */
function createChunks(count: number) {
  const chunks = { read: 0, stream: Readable.from(generate()) };
  function* generate() {
    for (let index = 0; index < count; index += 1) {
      chunks.read += 1;
      yield Buffer.from(`a=${index % 10}&`);
    }
  }
  return chunks;
}

/** A request whose body has no declared length. */
const post = (stream: Readable, contentType = FORM) =>
  new Request('https://site.example/', {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: Readable.toWeb(stream) as ReadableStream<Uint8Array>,
    duplex: 'half',
  } as RequestInit);

// threat-model: T-087
it.each([
  ['an operation of a signed-in visitor', 'api/graphql', true, 1024 * 1024],
  ['an operation of an anonymous visitor', 'api/graphql', false, 64 * 1024],
  ['a form of a signed-in visitor', 'preferences', true, 64 * 1024],
  ['a request without a route', null, true, 64 * 1024],
])('the limit of a body: %s', (_what, routeId, isSignedIn, bytes) => {
  expect(bodyLimitOf(routeId, isSignedIn)).toBe(bytes);
});

describe('a body', () => {
  const kinds = [
    ['of a Node request', (stream: Readable, max: number) => readBody(stream, new PassThrough(), max)],
    [
      'of a web request',
      (stream: Readable, max: number) =>
        readWebBody(Readable.toWeb(stream) as ReadableStream<Uint8Array>, max),
    ],
  ] as const;

  it.each(kinds)('is read up to the limit and not further: %s', async (_kind, readAny) => {
    const read = async (count: number) => readAny(createChunks(count).stream, 12);
    expect(String(await read(3))).toBe('a=0&a=1&a=2&');
    expect(String(await read(1))).toBe('a=0&');
    expect(await read(4)).toEqual({
      status: 413,
      code: 'BodyTooLarge',
      message: 'The body may have at most 12 bytes.',
    });
    expect(String(await read(0))).toBe('');
  });

  it.each(kinds)('that never ends is given up after the limit: %s', async (_kind, readAny) => {
    const chunks = createChunks(Number.POSITIVE_INFINITY);
    expect(await readAny(chunks.stream, 1000)).toMatchObject({ status: 413 });
    expect(chunks.read).toBeLessThan(1000);
  });

  it.each(kinds)('that fails rejects: %s', async (_kind, readAny) => {
    const stream = new Readable({ read: () => stream.destroy(new Error('reset')) });
    await expect(readAny(stream, 10)).rejects.toThrow('reset');
  });

  it('that is rejected can be discarded', async () => {
    const { stream } = createChunks(10);
    expect(await readBody(stream, new PassThrough(), 12)).toMatchObject({ status: 413 });
    await finished(stream.resume());
  });

  // threat-model: T-059
  it('that takes too long is rejected with 408, and the rest is not read', async () => {
    const body = new PassThrough();
    body.write('a=');
    expect(await readBody(body, new PassThrough(), 12, 20)).toEqual({
      status: 408,
      code: 'RequestTimeout',
      message: 'The body took too long to arrive.',
      headers: { connection: 'close' },
    });
    expect(body.isPaused()).toBe(true);
  });

  // threat-model: T-087
  it('is joined while it arrives, so that chunks of one byte take no more memory', async () => {
    const request = new PassThrough();
    const body = readBody(request, new PassThrough(), 5000);
    request.emit('data', Buffer.from('a'));
    // The same memory for every chunk: one that is kept would have its content.
    const chunk = Buffer.alloc(1);
    for (let index = 1; index < 5000; index += 1) {
      chunk.write('abcde'.charAt(index % 5));
      request.emit('data', chunk);
    }
    request.emit('end');
    expect(Buffer.from((await body) as Uint8Array).toString()).toBe('abcde'.repeat(1000));
  });

  it.each(kinds)('in one chunk is not copied: %s', async (_kind, readAny) => {
    const chunk = Buffer.from('a=0');
    const body = (await readAny(Readable.from([chunk]), 12)) as Uint8Array;
    expect([body.byteOffset, body.length]).toEqual([chunk.byteOffset, 3]);
    expect(body.buffer).toBe(chunk.buffer);
  });

  it('takes no more memory when it fills what it has', async () => {
    const parts = [1, 1, 1022].map((bytes) => Buffer.alloc(bytes));
    const body = (await readBody(Readable.from(parts), new PassThrough(), 2000)) as Uint8Array;
    expect([body.length, body.buffer.byteLength]).toEqual([1024, 1024]);
  });

  // threat-model: T-087
  it('is rejected with 503 while the bodies of other requests have 16 MiB, unless it is short', async () => {
    const megabyte = 1024 * 1024;
    const others = Array.from({ length: 16 }, () => ({
      body: new PassThrough(),
      response: new PassThrough(),
    }));
    const reads = others.map(({ body, response }) => readBody(body, response, megabyte));
    for (const { body } of others) {
      body.write(Buffer.alloc(megabyte / 2));
      body.end(Buffer.alloc(megabyte / 2));
    }
    for (const body of await Promise.all(reads)) expect(body).toHaveLength(megabyte);
    const readOne = (bytes: number) => {
      const body = new PassThrough();
      body.end(Buffer.alloc(bytes));
      const response = new PassThrough();
      return readBody(body, response, megabyte).finally(() => response.destroy());
    };

    expect(await readOne(megabyte)).toEqual({
      status: 503,
      code: 'Overloaded',
      message: 'The bodies of too many requests are in progress.',
      headers: { 'retry-after': '1' },
    });
    expect(await readOne(1000)).toHaveLength(1000);
    // The first 16 KiB of each of the others do not count.
    const left = 16 * 16 * 1024;
    expect(await readOne(16 * 1024 + left)).toHaveLength(16 * 1024 + left);
    expect(await readOne(16 * 1024 + left + 1)).toMatchObject({ status: 503 });

    for (const { response } of others) response.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await readOne(megabyte)).toHaveLength(megabyte);
  });

  it('that does not exist is empty', async () => {
    expect(await readWebBody(null, 0)).toHaveLength(0);
  });
});

describe('a form', () => {
  it.each([FORM, `${FORM}; charset=UTF-8`, FORM.toUpperCase(), `${FORM} ;x`])(
    'of the type %s is read',
    async (contentType) => {
      const form = await readForm(post(createChunks(2).stream, contentType));
      expect(form.getAll('a')).toEqual(['0', '1']);
    },
  );

  it('of the type multipart/form-data is read', async () => {
    const body = new FormData();
    body.append('a', 'text');
    const form = await readForm(new Request('https://site.example/', { method: 'POST', body }));
    expect([...form]).toEqual([['a', 'text']]);
  });

  it.each([`x${FORM}`, `${FORM}x`, ''])('of the type “%s” is rejected with 415', async (contentType) => {
    const request = post(createChunks(1).stream, contentType);
    await expect(readForm(request)).rejects.toMatchObject({ status: 415 });
  });

  it('longer than the limit is rejected with 413, and the connection ends', async () => {
    const rejection = await readForm(post(createChunks(4).stream), 12).catch((thrown) => thrown);
    expect(rejection).toBeInstanceOf(Response);
    expect([rejection.status, rejection.headers.get('connection')]).toEqual([413, 'close']);
  });

  it('that does not match its type is rejected with 400', async () => {
    const request = post(createChunks(1).stream, 'multipart/form-data; boundary=x');
    await expect(readForm(request)).rejects.toMatchObject({ status: 400 });
  });
});

it('chunks are joined, and a single one is not copied', () => {
  const [one, two] = [Buffer.from('a=0'), Buffer.from('&b=1')];
  expect(String(concatChunks([one, two]))).toBe('a=0&b=1');
  expect(concatChunks([one])).toBe(one);
  expect(concatChunks([])).toHaveLength(0);
});

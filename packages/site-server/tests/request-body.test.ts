import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { ByteBudget, requestBytes } from '../src/byte-budget.ts';
import { readBody, readForm, readWebBody } from '../src/request-body.ts';

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
    expect(await readBody(body, new PassThrough(), 12, { timeoutMs: 20 })).toEqual({
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

  it('takes no more memory when it fills what it has', async () => {
    const parts = [1, 1, 1022].map((bytes) => Buffer.alloc(bytes));
    const body = (await readBody(Readable.from(parts), new PassThrough(), 2000)) as Uint8Array;
    expect([body.length, body.buffer.byteLength]).toEqual([1024, 1024]);
  });

  // threat-model: T-087
  it('is rejected with 503 while other requests take too much memory, unless it is short', async () => {
    const [free, left] = [16 * 1024, 10_000];
    const budget = new ByteBudget(50_000);
    const readOne = (bytes: number, response = new PassThrough()) => {
      const body = new PassThrough();
      body.end(Buffer.alloc(bytes));
      return readBody(body, response, 100_000, { budget });
    };
    const open = new PassThrough();
    expect(await readOne(free + 40_000, open)).toHaveLength(free + 40_000);
    expect(await readOne(free + left + 1)).toEqual({
      status: 503,
      code: 'Overloaded',
      message: 'The bodies of too many requests are in progress.',
      headers: { 'retry-after': '1' },
    });
    expect(await readOne(free)).toHaveLength(free);
    expect(await readOne(free + left)).toHaveLength(free + left);
    expect(await readOne(free + 1)).toMatchObject({ status: 503 });

    open.destroy();
    await once(open, 'close');
    expect(await readOne(free + 40_000)).toHaveLength(free + 40_000);
  });

  // threat-model: T-087
  it('has 32 MiB together with all others', () => {
    const megabyte = 1024 * 1024;
    expect(requestBytes.take(32 * megabyte + 1)).toBe(false);
    // Other tests of the same process may have some.
    expect(requestBytes.take(31 * megabyte)).toBe(true);
    requestBytes.giveBack(31 * megabyte);
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

  // threat-model: T-087
  it.each([
    ['url-encoded', 'application/x-www-form-urlencoded; boundary=x', (text: string) => `a=${text}&`, ''],
    [
      'multipart',
      'multipart/form-data; boundary=edge',
      (text: string) => `--edge\r\ncontent-disposition: form-data; name="a"\r\n\r\n${text}\r\n`,
      '--edge--\r\n',
    ],
  ])('of many bytes has few fields: %s', async (_kind, contentType, field, end) => {
    const send = (count: number, bytes: number) => {
      const body = field('x'.repeat(bytes)).repeat(count) + end;
      return readForm(post(Readable.from([Buffer.from(body)]), contentType), 1024 * 1024);
    };
    expect((await send(900, 100)).getAll('a')).toHaveLength(900);
    await expect(send(1100, 100)).rejects.toMatchObject({ status: 400 });
    expect((await send(1100, 1)).getAll('a'), 'a form of the usual length').toHaveLength(1100);
  });

  it('that does not match its type is rejected with 400', async () => {
    const request = post(createChunks(1).stream, 'multipart/form-data; boundary=x');
    await expect(readForm(request)).rejects.toMatchObject({ status: 400 });
  });
});

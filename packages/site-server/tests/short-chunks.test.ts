import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CHUNKED, headOf, startConnectionServer } from '../../../tests/support/http/connection-server.ts';
import { discardRest } from '../src/discarded-rest.ts';

const chunk = (length: number) => `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`;

describe('a body in chunks', () => {
  // threat-model: T-086
  it.each([
    ['of a GET request', 'GET /waiting'],
    ['of a request whose body is read', 'POST /'],
    ['of a request whose body is discarded', 'POST /discarded'],
  ])('ends the connection when it has thousands of short ones: %s', async (_which, start) => {
    const { open, codes, rejected } = await startConnectionServer({
      respond: (request) =>
        request.url === '/discarded' ? discardRest(request) : text(request).catch(() => ''),
    });
    const wire = await open(headOf(start, CHUNKED));
    await delay(50);
    wire.write(chunk(1).repeat(1500));
    expect(await wire.readUntilClosed()).toBe('');
    expect([codes(), rejected]).toEqual([['TinyChunks'], ['TinyChunks']]);
  });

  it('may have a thousand short ones and any longer ones, until it is read', async () => {
    const { answerTo } = await startConnectionServer({
      async respond(request, response) {
        await delay(100);
        response.end(`got ${(await text(request)).length}`);
      },
    });
    // 1,041 chunks with 1,088 bytes are just few enough. The later ones are longer: some are read in two parts.
    const chunks = chunk(1).repeat(1040) + chunk(48) + chunk(66).repeat(5000);
    const answer = await answerTo(`${headOf('POST /', 'connection: close', CHUNKED)}${chunks}0\r\n\r\n`);
    expect(answer).toContain(`got ${1088 + 66 * 5000}`);
  });
});

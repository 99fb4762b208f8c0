/** The address for reports of vulnerabilities: /.well-known/security.txt (RFC 9116). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawRequest, sendRaw } from '../../support/http/raw-request.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';

const PATH = '/.well-known/security.txt';
const HOST = 'site.example';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    topology: 'one machine',
    environment: { APP_ORIGIN: `https://${HOST}`, SECURITY_CONTACT: 'security@example.com' },
  });
}, 60_000);
afterAll(() => stack.stop());

const send = (request: Partial<RawRequest> = {}) =>
  sendRaw(stack.site.origin, { path: PATH, ...request, headers: { host: HOST, ...request.headers } });

describe('security.txt', () => {
  it('names the contact at an https origin', async () => {
    const { status, headers, body } = await send();
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(headers['cache-control']).toBe('public, max-age=3600');
    expect(body).toContain('Contact: mailto:security@example.com\n');
  });

  it('is sent without its body for HEAD, and rejects POST', async () => {
    const head = await send({ method: 'HEAD' });
    expect([head.status, head.body, head.headers['content-type']]).toEqual([
      200,
      '',
      'text/plain; charset=utf-8',
    ]);
    const posted = await send({ method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } });
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

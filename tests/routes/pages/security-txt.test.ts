/** The address for reports of vulnerabilities: /.well-known/security.txt (RFC 9116). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawRequest, sendRaw } from '../../support/http/raw-request.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';

const PATH = '/.well-known/security.txt';
const HOST = 'site.example';
const DAY_MS = 24 * 60 * 60 * 1000;

let configured: Stack;
let plain: Stack;

beforeAll(async () => {
  configured = await startStack({
    topology: 'one machine',
    environment: { APP_ORIGIN: `https://${HOST}`, SECURITY_CONTACT: 'security@example.com' },
  });
  plain = await startStack({ environment: { SECURITY_CONTACT: '' } });
}, 60_000);
afterAll(async () => {
  await configured.stop();
  await plain.stop();
});

const send = (request: Partial<RawRequest> = {}) =>
  sendRaw(configured.site.origin, { path: PATH, ...request, headers: { host: HOST, ...request.headers } });

/** The fields by name; each may occur once. */
function parseFields(text: string): Map<string, string> {
  const lines = text.trimEnd().split('\n');
  const fields = lines.map((line): [string, string] => {
    const [, name = '', value = ''] = /^([A-Z][\w-]*): (\S.*)$/.exec(line) ?? [];
    return [name, value];
  });
  expect(new Set(fields.map(([name]) => name)).size).toBe(lines.length);
  return new Map(fields);
}

describe('security.txt', () => {
  it('names the contact, the language and its own address at an https origin', async () => {
    const { status, headers, body } = await send();
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(headers['cache-control']).toBe('public, max-age=3600');
    expect([...parseFields(body)].filter(([name]) => name !== 'Expires')).toEqual([
      ['Contact', 'mailto:security@example.com'],
      ['Preferred-Languages', 'en'],
      ['Canonical', `https://${HOST}${PATH}`],
    ]);
  });

  it('expires after more than a month and in less than a year', async () => {
    const expires = parseFields((await send()).body).get('Expires') ?? '';
    expect(expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const days = (Date.parse(expires) - Date.now()) / DAY_MS;
    expect(days).toBeGreaterThan(31);
    expect(days).toBeLessThan(365);
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

  it('does not exist without a contact', async () => {
    const { status, headers, body } = await sendRaw(plain.site.origin, { path: PATH });
    expect([status, headers['cache-control']]).toEqual([404, 'private, no-store']);
    expect(body).not.toContain('Contact');
  });
});

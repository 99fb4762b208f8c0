/** The watch for secrets is itself watched: what it would not find, no test would. */
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { assertNoSecret, findIssued, findSecret, learnSecret } from '../support/secrets.ts';

const token = randomBytes(700).toString('base64');
const code = randomUUID();
learnSecret('refresh token', token);
learnSecret('authorization code', code);

const base64At = (shift: number, value: string, encoding: 'base64' | 'base64url') =>
  Buffer.concat([randomBytes(shift), Buffer.from(value), randomBytes(5)]).toString(encoding);

describe.each([
  ['refresh token', token],
  ['authorization code', code],
])('a %s that was given out', (kind, value) => {
  it.each<[string, string]>([
    ['as it is', value],
    ['in a line of the log', JSON.stringify({ level: 'info', err: { message: `refused: ${value}` } })],
    ['in markup', `<p title="${value}">`],
    ['in the address of a link', `/callback?code=${encodeURIComponent(value)}&state=x`],
    ['in a form of another form', new URLSearchParams({ returnTo: `/?t=${value}` }).toString()],
    ['in base64url', base64At(0, value, 'base64url')],
    ['in base64url that began a byte before', base64At(1, value, 'base64url')],
    ['in base64url that began two bytes before', base64At(2, value, 'base64url')],
    ['in base64', base64At(0, value, 'base64')],
    ['in base64 that began a byte before', base64At(1, value, 'base64')],
    ['in base64 that began two bytes before', base64At(2, value, 'base64')],
    ['in hexadecimal', Buffer.from(value).toString('hex')],
    ['cut off behind its first half', value.slice(0, Math.max(28, value.length / 2))],
    ['cut off before its last half', value.slice(-Math.max(28, value.length / 2))],
  ])('is found %s', (_where, text) => {
    expect(findSecret(`before ${text} after`)).toBe(`${kind}, by its value`);
  });
});

describe('the watch over answers', () => {
  it.each([
    ['body', { headers: {}, body: `<p>${token}` }],
    ['header', { headers: { 'x-debug': code }, body: '' }],
    [
      'cookie',
      { headers: { 'set-cookie': ['a=b', `debug=${encodeURIComponent(token)}; Path=/`] }, body: '' },
    ],
    ['address', { headers: { location: `/?code=${code}` }, body: '' }],
  ])('sees a secret in a %s', (_where, answer) => {
    expect(() => assertNoSecret('/somewhere', answer)).toThrow(/^\/somewhere gave away .+, by its value$/);
  });

  it('sees none in what is sealed, hashed, or somebody else’s', () => {
    const sealed = `eyJhbGciOiJkaXIifQ..${randomBytes(12).toString('base64url')}.${randomBytes(2000).toString('base64url')}`;
    expect(() =>
      assertNoSecret('/', { headers: { 'set-cookie': [sealed] }, body: randomUUID() }),
    ).not.toThrow();
    expect(findIssued(randomBytes(100_000).toString('base64'))).toBeNull();
  });

  it('can only look for what is long enough to be told from chance', () => {
    expect(() => learnSecret('password', 'short')).toThrow(RangeError);
  });
});

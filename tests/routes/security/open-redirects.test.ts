/**
 * Every route that redirects, with generated return addresses: a browser must stay on the site. REDIRECT_ADDRESSES sets
 * their number, and REDIRECT_SEED selects other ones.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { EVIL_HOST, redirectAddress } from '../../support/fuzzing/redirect-addresses.ts';
import { findWrongTarget, searchOpenRedirects } from '../../support/fuzzing/redirect-search.ts';
import { createSeededRandom } from '../../support/fuzzing/seeded-random.ts';
import { createHostedLoginVisitor, PASSWORD } from '../../support/sign-in/hosted-login.ts';
import type { SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { examplePath, forThisSite, other, otherHome } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const SEED = Number(process.env.REDIRECT_SEED ?? 20_261_123);
const ADDRESSES = Number(process.env.REDIRECT_ADDRESSES ?? 1000);

const stack = setUpStack({ environment: { RATE_LIMIT_SCALE: '0' } });
const strict = setUpStack({ environment: { RATE_LIMIT_SCALE: '0', SESSION_COOKIE_SAME_SITE: 'strict' } });
let signedIn: SiteVisitor;

beforeAll(async () => {
  signedIn = await stack.signUp('ada');
});

const asQuery = (address: string) => new URLSearchParams({ returnTo: address });

describe('no return address leads off the site', () => {
  // threat-model: T-024
  it(
    `of ${ADDRESSES} that every route gets, as a document and as data`,
    async () => {
      const { findings, silent } = await searchOpenRedirects({ seed: SEED, addresses: ADDRESSES });
      expect(findings, findings.join('\n')).toEqual([]);
      // Every route has redirected, so that its targets were judged. Data redirects only from a path with a trailing slash,
      // which few of the addresses make of it.
      expect(silent.filter((name) => name !== 'the data of a page')).toEqual([]);
    },
    Math.max(120_000, ADDRESSES * 10),
  );

  // threat-model: T-024
  it('from the intermediate page for SameSite=Strict cookies', async () => {
    const login = createHostedLoginVisitor(strict.cloud);
    const begun = await strict.visit().request('/auth/sign-up');
    await login.signUp(begun.headers.location ?? '', { email: 'known@example.com', password: PASSWORD });
    const away: string[] = [];
    for (let index = 0; index < 60; index++) {
      const address = redirectAddress(createSeededRandom(SEED, index));
      const visitor = strict.visit();
      const { headers } = await visitor.request(`/auth/sign-in?${asQuery(address)}`);
      const { url } = await login.open(headers.location ?? '');
      const { body } = await visitor.request(url.pathname + url.search);
      const target = /http-equiv="refresh" content="0;url=([^"]*)"/.exec(body)?.[1] ?? '//none';
      const decoded = target.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
      const problem = findWrongTarget(decoded, {}, strict);
      if (problem !== null) away.push(`${JSON.stringify(address)} ${problem}: ${decoded}`);
    }
    expect(away).toEqual([]);
  });
});

describe('an injected parameter', () => {
  /** The names of parameters. The language differs between browsers. */
  const namesIn = (address = '') =>
    [...new URL(address).searchParams.keys()].filter((name) => name !== 'lang');

  // threat-model: T-023
  it.each(
    forThisSite([
      `${asQuery(`${otherHome}&redirect_uri=https://evil.example/`)}`,
      `${asQuery(`${otherHome}\r\nX-Evil: 1`)}`,
      `returnTo=${otherHome}&returnTo=//evil.example`,
      `returnTo=${otherHome}&redirect_uri=https://evil.example/&state=evil&nonce=evil&client_id=evil&lang=evil`,
      `returnTo=${otherHome}&code_challenge=evil&code_challenge_method=plain&response_type=token&scope=evil`,
      `returnTo[]=//evil.example&returnTo=${otherHome}`,
    ]),
  )('never reaches the hosted login: %s', async (query) => {
    const plain = await stack.get(`/auth/sign-in?returnTo=${otherHome}`);
    for (const path of ['/auth/sign-in', '/auth/sign-up']) {
      const { headers } = await stack.get(`${path}?${query}`);
      const { origin, searchParams } = new URL(headers.location ?? '');
      expect(origin).toBe(stack.cloud.origin);
      expect(namesIn(headers.location)).toEqual(namesIn(plain.headers.location));
      expect(searchParams.get('redirect_uri')).toBe(`${stack.site.origin}/auth/callback`);
      expect(headers.location).not.toContain('evil');
    }
  });

  // threat-model: T-025
  it('in the headers of a proxy is in no URL that the site generates', async () => {
    const poison = {
      'x-forwarded-host': EVIL_HOST,
      'x-forwarded-proto': 'javascript',
      'x-forwarded-port': '1',
      'x-forwarded-prefix': `//${EVIL_HOST}`,
      forwarded: `host=${EVIL_HOST};proto=https`,
      'x-original-url': `//${EVIL_HOST}`,
      'x-rewrite-url': `//${EVIL_HOST}`,
      'x-host': EVIL_HOST,
    };
    for (const path of [
      '/',
      examplePath(other),
      `${otherHome}/`,
      '/auth/sign-in',
      '/sitemap.xml',
      '/robots.txt',
      `${otherHome}.data`,
    ]) {
      const { headers, body } = await stack.get(path, poison);
      expect(`${JSON.stringify(headers)}${body}`, path).not.toContain('evil');
    }
    const signOut = await signedIn.copy().request(`/auth/sign-in?returnTo=${otherHome}`, { headers: poison });
    expect(signOut.headers.location).toBe(otherHome);
  });
});

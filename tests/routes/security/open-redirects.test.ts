/**
 * Every route that redirects, with generated return addresses: a browser must stay on the site. REDIRECT_ADDRESSES sets
 * their number, and REDIRECT_SEED selects other ones.
 */
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVIL_HOST, redirectAddress } from '../../support/fuzzing/redirect-addresses.ts';
import { findWrongTarget, searchOpenRedirects } from '../../support/fuzzing/redirect-search.ts';
import { createSeededRandom } from '../../support/fuzzing/seeded-random.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import {
  createHostedLoginVisitor,
  type HostedLoginVisitor,
  PASSWORD,
} from '../../support/sign-in/hosted-login.ts';
import { createSiteVisitor, type SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { examplePath, forThisSite, other, otherHome } from '../../support/this-site.ts';

const SEED = Number(process.env.REDIRECT_SEED ?? 20_261_123);
const ADDRESSES = Number(process.env.REDIRECT_ADDRESSES ?? 1000);

const agent = new Agent({ keepAlive: true });
const ada = { email: 'ada@example.com', password: PASSWORD };
let stack: Stack;
let strict: Stack;
let signedIn: SiteVisitor;

beforeAll(async () => {
  [stack, strict] = await Promise.all([
    startStack({ environment: { RATE_LIMIT_SCALE: '0' } }),
    startStack({ environment: { RATE_LIMIT_SCALE: '0', SESSION_COOKIE_SAME_SITE: 'strict' } }),
  ]);
  signedIn = createSiteVisitor(stack.site.origin, agent);
  await signedIn.signUp(stack.cloud, ada);
}, 60_000);
afterAll(async () => {
  agent.destroy();
  await Promise.all([stack.stop(), strict.stop()]);
});

const anonymous = () => createSiteVisitor(stack.site.origin, agent);
const asQuery = (address: string) => new URLSearchParams({ returnTo: address });

describe('no return address leads off the site', () => {
  // threat-model: T-024
  it(
    `of ${ADDRESSES} that every route gets, as a document and as data`,
    async () => {
      const { findings, silent } = await searchOpenRedirects({ seed: SEED, addresses: ADDRESSES });
      expect(findings, findings.join('\n')).toEqual([]);
      // Every other route has redirected, so that its targets were judged.
      expect(silent).toEqual(['the data of a page']);
    },
    Math.max(120_000, ADDRESSES * 10),
  );

  // threat-model: T-024
  it('from the intermediate page for SameSite=Strict cookies', async () => {
    const login = await signInAtHostedLogin(strict);
    const away: string[] = [];
    for (let index = 0; index < 60; index++) {
      const address = redirectAddress(createSeededRandom(SEED, index));
      const visitor = createSiteVisitor(strict.site.origin, agent);
      const begun = await visitor.request(`/auth/sign-in?${asQuery(address)}`);
      const { url } = await login.open(begun.headers.location ?? '');
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
  const smuggled = [
    `${otherHome}&redirect_uri=https://evil.example/`,
    `${otherHome}?redirect_uri=https://evil.example/&client_id=evil`,
    `${otherHome}#&state=evil&code_challenge=evil`,
    `${otherHome}%26redirect_uri%3Dhttps://evil.example/`,
    `${otherHome}\r\nX-Evil: 1`,
    `${otherHome};redirect_uri=https://evil.example/`,
  ];

  // threat-model: T-023
  it.each(
    forThisSite([
      ...smuggled.map((address) => asQuery(address).toString()),
      `returnTo=${otherHome}&returnTo=//evil.example`,
      `returnTo=${otherHome}&redirect_uri=https://evil.example/&state=evil&nonce=evil&client_id=evil&lang=evil`,
      `returnTo=${otherHome}&code_challenge=evil&code_challenge_method=plain&response_type=token&scope=aws.cognito.signin.user.admin`,
      `returnTo[]=//evil.example&returnTo=${otherHome}`,
    ]),
  )('never reaches the hosted login: %s', async (query) => {
    const plain = new URL(
      (await anonymous().request(`/auth/sign-in?returnTo=${otherHome}`)).headers.location ?? '',
    );
    for (const path of ['/auth/sign-in', '/auth/sign-up']) {
      const { headers } = await anonymous().request(`${path}?${query}`);
      const { origin, searchParams } = new URL(headers.location ?? '');
      expect(origin).toBe(stack.cloud.origin);
      const names = [...searchParams.keys()].filter((name) => name !== 'lang');
      expect(names).toEqual([...plain.searchParams.keys()].filter((name) => name !== 'lang'));
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
      const { headers, body } = await anonymous().request(path, { headers: poison });
      expect(`${JSON.stringify(headers)}${body}`, path).not.toContain('evil');
    }
    const signOut = await signedIn.copy().request(`/auth/sign-in?returnTo=${otherHome}`, { headers: poison });
    expect(signOut.headers.location).toBe(otherHome);
  });
});

/** Creates a visitor who is signed in at the hosted login, which therefore redirects back at once. */
async function signInAtHostedLogin({ site, cloud }: Stack): Promise<HostedLoginVisitor> {
  const login = createHostedLoginVisitor(cloud);
  const begun = await createSiteVisitor(site.origin, agent).request('/auth/sign-up');
  await login.signUp(begun.headers.location ?? '', { ...ada, email: 'known@example.com' });
  return login;
}

/** What users can store, on every page: the elements of a document are the same whatever the words are. */
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locales, localizePath } from '../../../app/i18n/locales.ts';
import { pages } from '../../../app/pages.ts';
import { freePort, type Site, startSite } from '../../support/processes/site.ts';
import { createSiteVisitor, type SiteAnswer, type SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import {
  HOSTILE_WORDS,
  type HostileCloud,
  startHostileCloud,
} from '../../support/upstreams/hostile-cloud.ts';

const agent = new Agent({ keepAlive: true });
const PLAIN = { name: 'Ada', email: 'ada@example.com', messages: ['One', 'Two'] };
const HOSTILE = { name: HOSTILE_WORDS, email: 'ada@example.com', messages: [HOSTILE_WORDS, HOSTILE_WORDS] };
const HOSTILE_EMAIL = { name: null, email: `"${HOSTILE_WORDS}"@example.com`, messages: [] };
const NO_MESSAGES = { ...PLAIN, messages: [] };

let cloud: HostileCloud;
let site: Site;

beforeAll(async () => {
  cloud = await startHostileCloud(PLAIN);
  site = await startSite(await freePort(), cloud.environment);
}, 60_000);
afterAll(async () => {
  agent.destroy();
  await site.stop();
  await cloud.close();
});

/** Somebody whose name and messages are these. */
async function signIn(words: HostileCloud['words']): Promise<SiteVisitor> {
  cloud.words = words;
  const visitor = createSiteVisitor(site.origin, agent);
  const begun = await visitor.ask('/auth/sign-in');
  await visitor.ask(cloud.signIn(new URL(begun.headers.location ?? '')));
  expect(await visitor.isSignedIn()).toBe(true);
  return visitor;
}

/** The tags of a document, in their order. */
const tagsOf = ({ body }: SiteAnswer) => body.match(/<[/!]?[a-z][\w-]*|<!--/gi) ?? [];

const document = { accept: 'text/html', 'sec-fetch-dest': 'document' };
const form = (fields: Record<string, string>) => ({
  method: 'POST',
  headers: { ...document, 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

const everyPage = pages.flatMap(({ slug }) => locales.map((locale) => localizePath(`/${slug}`, locale)));

describe('markup in a name, in an e-mail address and in messages', () => {
  // threat-model: T-052
  it.each([
    ['a name and messages', PLAIN, HOSTILE],
    ['an e-mail address', NO_MESSAGES, HOSTILE_EMAIL],
  ])('adds no element to any page: %s', async (_what, harmless, hostile) => {
    const expected = new Map<string, string[]>();
    const plain = await signIn(harmless);
    for (const path of everyPage) expected.set(path, tagsOf(await plain.ask(path, { headers: document })));
    const visitor = await signIn(hostile);
    for (const path of everyPage) {
      const answer = await visitor.ask(path, { headers: document });
      expect(answer.status, path).toBe(200);
      expect(answer.body, path).toContain('&lt;/script&gt;&lt;script&gt;window.ran=1');
      expect(tagsOf(answer), path).toEqual(expected.get(path));
    }
  });

  // threat-model: T-052
  it('reaches scripts as data that no browser takes for a page', async () => {
    const visitor = await signIn(HOSTILE);
    for (const path of everyPage) {
      const { headers, body } = await visitor.ask(`${path === '/' ? '/_root' : path}.data`);
      expect(body, path).toContain('window.ran=1');
      expect(headers['content-type'], path).toBe('text/x-script; charset=utf-8');
      expect(headers['x-content-type-options'], path).toBe('nosniff');
      expect(headers['content-security-policy'], path).toBe("default-src 'none'; frame-ancestors 'none'");
    }
  });

  it('is read as it was written, braces and nested keys too', async () => {
    const visitor = await signIn(HOSTILE);
    const { body } = await visitor.ask('/test-message', { headers: document });
    expect(body).toContain('{{constructor.constructor(&quot;window.ran=1&quot;)()}} $t(nav.home) {{count}}');
    expect(body).toContain('&amp;lt;b&amp;gt;&amp;#60;b&amp;#62;');
  });
});

describe('markup that comes back at once', () => {
  // threat-model: T-052
  it.each([
    ['in a text that is too long', true],
    ['in the text of a visitor who is signed out', false],
  ])('stands in the form as text: %s', async (_what, isSignedIn) => {
    const visitor = isSignedIn ? await signIn(PLAIN) : createSiteVisitor(site.origin, agent);
    const post = async (text: string) =>
      visitor.ask('/test-message', form({ content: text.padEnd(501, 'x') }));
    const expected = tagsOf(await post('harmless'));
    const answer = await post(HOSTILE_WORDS);
    expect([401, 422]).toContain(answer.status);
    expect(answer.body).toContain('&lt;/textarea&gt;&lt;/title&gt;');
    expect(tagsOf(answer)).toEqual(expected);
  });

  // threat-model: T-022
  it.each([
    `/nowhere?q=${HOSTILE_WORDS}`,
    `/${encodeURIComponent(HOSTILE_WORDS)}`,
    `/fr/${HOSTILE_WORDS.replaceAll('/', '')}`,
    `/typography-demo?size=${HOSTILE_WORDS}&font=${HOSTILE_WORDS}&text=${HOSTILE_WORDS}`,
    `/auth/callback?error=${HOSTILE_WORDS}&error_description=${HOSTILE_WORDS}&state=${HOSTILE_WORDS}`,
  ])('is nowhere in the answer to an address: %s', async (address) => {
    const path = address.replace(/[^\u0021-\u007e]|[#\\]/gu, encodeURIComponent);
    const { headers, body } = await createSiteVisitor(site.origin, agent).ask(path, { headers: document });
    expect(`${body}${JSON.stringify(headers)}`).not.toMatch(
      /<img src=x|<svg\/|<iframe|<script>window|onerror="window/,
    );
  });

  // threat-model: T-052
  it.each(['notice', 'outcome', 'guest', 'session'])('is no %s, whatever its cookie says', async (name) => {
    const visitor = await signIn(PLAIN);
    const cookie = [
      ...visitor.cookies.cookies,
      [`__Host-${name}`, HOSTILE_WORDS.replace(/[^\u0021-\u007e]|;/g, '')],
    ]
      .map((pair) => pair.join('='))
      .join('; ');
    const { body } = await visitor.ask('/test-message', { headers: { ...document, cookie } });
    expect(body).not.toMatch(/window\.ran/);
  });
});

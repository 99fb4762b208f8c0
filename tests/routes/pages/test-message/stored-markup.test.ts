/** Stored texts of users on every page. They never change the elements of a document. */
import { existsSync } from 'node:fs';
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formSubmission } from '../../../support/http/site-requests.ts';
import { localizedPages } from '../../../support/localized-pages.ts';
import { freePort, type Site, startSite } from '../../../support/processes/site.ts';
import {
  createSiteVisitor,
  type SiteResponse,
  type SiteVisitor,
} from '../../../support/sign-in/site-visitor.ts';
import { startUnfilteredCloud, type UnfilteredCloud } from '../../../support/upstreams/unfiltered-cloud.ts';
import { INJECTED_MARKUP } from './injected-markup.ts';

const agent = new Agent({ keepAlive: true });
const PLAIN = { name: 'Ada', email: 'ada@example.com', messages: ['One', 'Two'] };
const HOSTILE = {
  name: INJECTED_MARKUP,
  email: 'ada@example.com',
  messages: [INJECTED_MARKUP, INJECTED_MARKUP],
};
const HOSTILE_EMAIL = { name: null, email: `"${INJECTED_MARKUP}"@example.com`, messages: [] };
const NO_MESSAGES = { ...PLAIN, messages: [] };

let cloud: UnfilteredCloud;
let site: Site;

beforeAll(async () => {
  cloud = await startUnfilteredCloud(PLAIN);
  site = await startSite(await freePort(), cloud.environment);
});
afterAll(async () => {
  agent.destroy();
  await site.stop();
  await cloud.close();
});

/** Signs in a visitor whose name, email address and messages are `texts`. */
async function signIn(texts: UnfilteredCloud['texts']): Promise<SiteVisitor> {
  cloud.texts = texts;
  const visitor = createSiteVisitor(site.origin, agent);
  const begun = await visitor.request('/auth/sign-in');
  await visitor.request(cloud.signIn(new URL(begun.headers.location ?? '')));
  expect(await visitor.isSignedIn()).toBe(true);
  return visitor;
}

/** Returns the tags of a document in order. */
const tagsOf = ({ body }: SiteResponse) => body.match(/<[/!]?[a-z][\w-]*|<!--/gi) ?? [];

const document = { accept: 'text/html', 'sec-fetch-dest': 'document' };

/** The cloud of these tests responds with messages to every operation, so pages with operations of their own are left out. */
const everyPage = localizedPages
  .filter(({ page: { namespace } }) => !existsSync(`app/graphql/${namespace}.graphql`))
  .map(({ path }) => path);

describe('markup in a name, an email address and messages', () => {
  // threat-model: T-052
  it.each([
    ['a name and messages', PLAIN, HOSTILE],
    ['an email address', NO_MESSAGES, HOSTILE_EMAIL],
  ])('adds no element to any page: %s', async (_what, harmless, hostile) => {
    const expected = new Map<string, string[]>();
    const plain = await signIn(harmless);
    for (const path of everyPage)
      expected.set(path, tagsOf(await plain.request(path, { headers: document })));
    const visitor = await signIn(hostile);
    for (const path of everyPage) {
      const response = await visitor.request(path, { headers: document });
      expect(response.status, path).toBe(200);
      expect(response.body, path).toContain('&lt;/script&gt;&lt;script&gt;window.ran=1');
      expect(tagsOf(response), path).toEqual(expected.get(path));
    }
  });

  // threat-model: T-052
  it('is sent to scripts as data that browsers do not display', async () => {
    const visitor = await signIn(HOSTILE);
    for (const path of everyPage) {
      const { headers, body } = await visitor.request(`${path === '/' ? '/_root' : path}.data`);
      expect(body, path).toContain('window.ran=1');
      expect(headers['content-type'], path).toBe('text/x-script; charset=utf-8');
      expect(headers['x-content-type-options'], path).toBe('nosniff');
      expect(headers['content-security-policy'], path).toBe("default-src 'none'; frame-ancestors 'none'");
    }
  });

  it('is shown unchanged, including interpolation and nesting syntax', async () => {
    const visitor = await signIn(HOSTILE);
    const { body } = await visitor.request('/test-message', { headers: document });
    expect(body).toContain(
      '{{constructor.constructor(&quot;window.ran=1&quot;)()}} $t(nav.pages.index) {{count}}',
    );
    expect(body).toContain('&amp;lt;b&amp;gt;&amp;#60;b&amp;#62;');
  });
});

describe('reflected markup', () => {
  // threat-model: T-052
  it.each([
    ['in a text that is too long', true],
    ['in the text of a visitor who is signed out', false],
  ])('is shown as text in the form: %s', async (_what, isSignedIn) => {
    const visitor = isSignedIn ? await signIn(PLAIN) : createSiteVisitor(site.origin, agent);
    const post = (text: string) =>
      visitor.request('/test-message', formSubmission({ content: text.padEnd(501, 'x') }, document));
    const expected = tagsOf(await post('harmless'));
    const response = await post(INJECTED_MARKUP);
    expect([401, 422]).toContain(response.status);
    expect(response.body).toContain('&lt;/textarea&gt;&lt;/title&gt;');
    expect(tagsOf(response)).toEqual(expected);
  });

  // threat-model: T-022
  it.each([
    `/${encodeURIComponent(INJECTED_MARKUP)}`,
    `/fr/${INJECTED_MARKUP.replaceAll('/', '')}`,
    `/typography-demo?size=${INJECTED_MARKUP}&font=${INJECTED_MARKUP}&text=${INJECTED_MARKUP}`,
    `/auth/callback?error=${INJECTED_MARKUP}&error_description=${INJECTED_MARKUP}&state=${INJECTED_MARKUP}`,
  ])('is not in the response to %s', async (address) => {
    const path = address.replace(/[^\u0021-\u007e]|[#\\]/gu, encodeURIComponent);
    const { headers, body } = await createSiteVisitor(site.origin, agent).request(path, {
      headers: document,
    });
    expect(`${body}${JSON.stringify(headers)}`).not.toMatch(
      /<img src=x|<svg\/|<iframe|<script>window|onerror="window/,
    );
  });

  // threat-model: T-052
  it.each(['notice', 'outcome'])('is not shown from the cookie “%s”', async (name) => {
    const visitor = await signIn(PLAIN);
    const cookie = [...visitor.cookies.cookies, [name, INJECTED_MARKUP.replace(/[^\u0021-\u007e]|;/g, '')]]
      .map((pair) => pair.join('='))
      .join('; ');
    const { body } = await visitor.request('/test-message', { headers: { ...document, cookie } });
    expect(body).not.toMatch(/window\.ran/);
  });
});

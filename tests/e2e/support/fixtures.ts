/**
 * The fixtures of every end-to-end test: the built site and a local cloud per worker, reset between tests, and automatic
 * checks of every response and of the browser's console.
 */
import { Agent } from 'node:http';
import { type BrowserContext, test as base, expect, type Page, type Response } from '@playwright/test';
import type { LocalCloud } from '@tenfold/local-cloud';
import type { Site } from '../../support/processes/site.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import type { Topology } from '../../support/processes/topology.ts';
import { findRegisteredSecret, findSecret } from '../../support/secrets/secret-detection.ts';
import { type SiteVisitor, signUpVisitor } from '../../support/sign-in/site-visitor.ts';

type WorkerFixtures = {
  siteEnvironment: Record<string, string>;
  topology: Topology;
  stack: Stack;
};
export type SignUp = (email: string) => Promise<SiteVisitor>;
type SiteFixtures = { site: Site; cloud: LocalCloud };
type BrowserFixtures = {
  /**
   * Creates an account and signs the browser in to it: over HTTP, which takes a fraction of the time that the forms of
   * the hosted login take. Tests whose subject is the sign-in fill in the forms. Returns a visitor of the same session.
   */
  signUp: SignUp;
  /** Console messages that the test provokes. */
  expectedConsole: RegExp | null;
  checks: undefined;
};

/** Tests of the site that do not use Playwright's browser. */
export const siteTest = base.extend<SiteFixtures, WorkerFixtures>({
  siteEnvironment: [{}, { option: true, scope: 'worker' }],
  topology: ['one machine', { option: true, scope: 'worker' }],

  stack: [
    async ({ siteEnvironment, topology }, use) => {
      // The tests of a worker sign in more often from one address than people do.
      const stack = await startStack({
        environment: { RATE_LIMIT_SCALE: '25', ...siteEnvironment },
        topology,
      });
      await use(stack);
      // Rejects when the log contains a token or a key.
      await stack.stop();
    },
    { scope: 'worker' },
  ],

  site: async ({ stack }, use) => use(stack.site),
  cloud: async ({ stack }, use) => {
    stack.cloud.faults.set({});
    stack.cloud.faults.forgetCalls();
    await stack.cloud.reset();
    await use(stack.cloud);
  },
});

export const test = siteTest.extend<BrowserFixtures>({
  expectedConsole: [null, { option: true }],
  signUp: async ({ context, site, cloud }, use) => {
    const agent = new Agent({ keepAlive: true });
    await use(async (email) => {
      const visitor = await signUpVisitor({ site, cloud }, agent, email);
      const attributes = { url: site.origin, httpOnly: true, sameSite: 'Lax' as const };
      const { cookies } = visitor.cookies;
      await context.addCookies([...cookies].map(([name, value]) => ({ name, value, ...attributes })));
      return visitor;
    });
    agent.destroy();
  },
  baseURL: async ({ stack }, use) => use(stack.site.origin),

  checks: [
    async ({ context, stack, expectedConsole }, use) => {
      const findSecrets = watchResponses(context, stack.site.origin);
      const problems = watchConsole(context, stack.site.origin);
      await use(undefined);
      expect(await findSecrets(), 'no response of the site contains a token or a key').toEqual([]);
      expect(
        problems.filter((problem) => !expectedConsole?.test(problem)),
        'the console contains no errors or warnings',
      ).toEqual([]);
      expect(stack.site.isRunning(), 'the site is still running').toBe(true);
    },
    { auto: true },
  ],
});

/** Moves the mouse, which starts the hydration of a loaded page, and waits until the page is hydrated. */
export async function hydrate(page: Page): Promise<void> {
  await page.waitForLoadState();
  await page.mouse.move(5, 5);
  await waitForHydration(page);
}

/**
 * Waits until the page is hydrated: from then on the client-side code restores the scroll position. Before that, links
 * and forms load documents, so a test of what the client-side code does waits before it uses them.
 */
export async function waitForHydration(page: Page): Promise<void> {
  await page.waitForFunction(() => history.scrollRestoration === 'manual');
}

/**
 * Searches every body, URL and header of the site for secrets, and every cookie that scripts can read. Files of the build
 * are the same for every session (tests/routes/security/private-responses.test.ts), so each is searched once.
 */
function watchResponses(context: BrowserContext, siteOrigin: string): () => Promise<string[]> {
  const inspections: Promise<string | null>[] = [];
  context.on('response', (response) => {
    const url = response.url();
    if (url.startsWith(siteOrigin) && !inspectedAssets.has(url)) inspections.push(inspect(response));
  });
  return async () => {
    const cookies = await context.cookies(siteOrigin);
    const readable = cookies
      .filter((cookie) => !cookie.httpOnly)
      .map((cookie) => `${cookie.name}=${cookie.value}`);
    const found = [
      ...(await Promise.all(inspections)),
      ...readable.map((line) => describeSecret('cookie', line)),
    ];
    return found.filter((finding): finding is string => finding !== null);
  };
}

/** The addresses of inspected files of the build. Their names contain a hash of their content. */
const inspectedAssets = new Set<string>();

async function inspect(response: Response): Promise<string | null> {
  const url = response.url();
  const { 'set-cookie': sealed = '', ...headers } = await response
    .allHeaders()
    .catch((): Record<string, string> => ({}));
  const issued = findRegisteredSecret(sealed);
  if (issued) return `${url}: ${issued} in a cookie`;
  // The browser exposes no body of redirects and discarded responses. A stream of events has no end.
  const isStream = headers['content-type']?.startsWith('text/event-stream');
  const body = isStream ? '' : await response.text().catch(() => '');
  if (new URL(url).pathname.startsWith('/assets/') && body !== '') inspectedAssets.add(url);
  return describeSecret(url, `${JSON.stringify(headers)}\n${body}`);
}

function describeSecret(where: string, text: string): string | null {
  const secret = findSecret(text);
  return secret && `${where}: ${secret}`;
}

/**
 * What Chromium says of a request that Remix gives up because the next one has begun. Remix logs it while the response is
 * decoded, and turbo-stream rejects two promises that nothing reads when only the end of the response is missing.
 */
const GIVEN_UP = 'AbortError: signal is aborted without reason';

function watchConsole(context: BrowserContext, siteOrigin: string): string[] {
  const problems: string[] = [];
  context.on('console', (message) => {
    const fromSite = message.page()?.url().startsWith(siteOrigin) ?? false;
    // The browser reports every status of 400 and above, which the tests provoke.
    const isStatus = /Failed to load resource/.test(message.text());
    if (!fromSite || isStatus || message.text().startsWith(GIVEN_UP)) return;
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  context.on('weberror', (error) => {
    const text = String(error.error());
    if (text !== GIVEN_UP) problems.push(text);
  });
  return problems;
}

export { expect };

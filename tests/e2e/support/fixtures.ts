/**
 * What every end-to-end test stands on: the built site and a local cloud per worker, forgotten between tests, and a
 * watch over every response that the browser gets.
 */
import { type BrowserContext, test as base, expect, type Page, type Response } from '@playwright/test';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import type { Site } from '../../support/processes/site.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import type { Topology } from '../../support/processes/topology.ts';
import { findRegisteredSecret, findSecret } from '../../support/secrets/secret-detection.ts';

type WorkerFixtures = {
  siteEnvironment: Record<string, string>;
  client: 'rotating' | 'plain' | 'public';
  topology: Topology;
  stack: Stack;
};
type TestFixtures = {
  site: Site;
  cloud: LocalCloud;
  /** What a test makes the console say. */
  expectedConsole: RegExp | null;
  watch: undefined;
};

export const test = base.extend<TestFixtures, WorkerFixtures>({
  siteEnvironment: [{}, { option: true, scope: 'worker' }],
  client: ['rotating', { option: true, scope: 'worker' }],
  topology: ['one machine', { option: true, scope: 'worker' }],

  stack: [
    async ({ siteEnvironment, client, topology }, use) => {
      const stack = await startStack({ client, environment: siteEnvironment, topology });
      await use(stack);
      // Says so when the log holds a token or a key.
      await stack.stop();
    },
    { scope: 'worker' },
  ],

  expectedConsole: [null, { option: true }],
  site: async ({ stack }, use) => use(stack.site),
  cloud: async ({ stack }, use) => {
    stack.cloud.faults.set({});
    stack.cloud.faults.forgetCalls();
    stack.cloud.reset();
    await use(stack.cloud);
  },
  baseURL: async ({ stack }, use) => use(stack.site.origin),

  watch: [
    async ({ context, stack, expectedConsole }, use) => {
      const watch = watchResponses(context, stack.site.origin);
      const problems = watchConsole(context, stack.site.origin);
      await use(undefined);
      expect(await watch(), 'no response of the site carries a token or a key').toEqual([]);
      expect(
        problems.filter((problem) => !expectedConsole?.test(problem)),
        'the console stays silent',
      ).toEqual([]);
      expect(stack.site.isRunning(), 'the site lives').toBe(true);
    },
    { auto: true },
  ],
});

/** Gives a sign of intent, as a visitor does who begins to use a page, and waits until the client has taken it over. */
export async function hydrate(page: Page): Promise<void> {
  await page.mouse.move(5, 5);
  await waitForHydration(page);
}

/** Waits until the client has taken the page over: from then on it is the client that looks after the scrolling. */
export async function waitForHydration(page: Page): Promise<void> {
  await page.waitForFunction(() => history.scrollRestoration === 'manual');
}

/** Looks for tokens and keys in every body, address and readable header that the site sends to the browser. */
function watchResponses(context: BrowserContext, siteOrigin: string): () => Promise<string[]> {
  const inspections: Promise<string | null>[] = [];
  context.on('response', (response) => {
    if (response.url().startsWith(siteOrigin)) inspections.push(inspect(response));
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

async function inspect(response: Response): Promise<string | null> {
  const { 'set-cookie': sealed = '', ...headers } = await response
    .allHeaders()
    .catch(() => ({ 'set-cookie': '' }));
  // Redirects and answers that the browser threw away have no body to read.
  const body = await response.text().catch(() => '');
  const issued = findRegisteredSecret(sealed);
  if (issued) return `${response.url()}: ${issued} in a cookie`;
  return describeSecret(response.url(), `${JSON.stringify(headers)}\n${body}`);
}

function describeSecret(where: string, text: string): string | null {
  const secret = findSecret(text);
  return secret && `${where}: ${secret}`;
}

function watchConsole(context: BrowserContext, siteOrigin: string): string[] {
  const problems: string[] = [];
  context.on('console', (message) => {
    const fromSite = message.page()?.url().startsWith(siteOrigin) ?? false;
    // The browser itself reports every status of 400 and above; those are the tests' own doing.
    const isStatus = /Failed to load resource/.test(message.text());
    if (fromSite && !isStatus && ['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  context.on('weberror', (error) => problems.push(String(error.error())));
  return problems;
}

export { expect };

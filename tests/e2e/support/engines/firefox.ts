/** Stock Firefox, which speaks WebDriver BiDi. Playwright drives only a Firefox of its own, or the latest one. */
import { launch, type Page } from 'puppeteer-core';
import { findFirefox } from '../../../../tools/setup/engines.mjs';
import type { SwitchedOff } from '../../../support/processes/engines.ts';
import type { Engine } from './engine.ts';
import type { Tab } from './tab.ts';

const preferences = {
  JavaScript: { 'javascript.enabled': false },
  // No cookie of any site.
  cookies: { 'network.cookie.cookieBehavior': 2 },
};

export async function startFirefox(switchedOff: SwitchedOff): Promise<Engine> {
  const browser = await launch({
    browser: 'firefox',
    executablePath: findFirefox() ?? '',
    extraPrefsFirefox: switchedOff === null ? {} : preferences[switchedOff],
  });
  return {
    async openTab() {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      const problems = watchConsole(page);
      await page.evaluateOnNewDocument(logTexts);
      return { tab: tabOf(page), problems, close: () => context.close() };
    },
    close: () => browser.close(),
  };
}

const tabOf = (page: Page): Tab => ({
  goto: async (url) => void (await page.goto(url)),
  url: async () => page.url(),
  back: async () => void (await page.goBack()),
  forward: async () => void (await page.goForward()),
  resize: (width) => page.setViewport({ width, height: 800 }),
  run: (inPage, argument) => page.evaluate(inPage as (argument: unknown) => never, argument),
  press: (x, y) => page.mouse.click(x, y),
  type: (text) => page.keyboard.type(text),
  cookies: async () =>
    Object.fromEntries((await page.browserContext().cookies()).map(({ name, value }) => [name, value])),
});

/** Runs in the page. WebDriver BiDi does not transmit the text of a logged error, so the page logs texts only. */
function logTexts(): void {
  for (const level of ['error', 'warn'] as const) {
    const log = console[level];
    console[level] = (...values) => log(...values.map(String));
  }
}

function watchConsole(page: Page): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  return problems;
}

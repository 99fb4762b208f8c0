/** The fixtures of tests in browsers that Playwright does not drive. */
import { expect } from '@playwright/test';
import type { EngineName, SwitchedOff } from '../../../support/processes/engines.ts';
import { siteTest } from '../fixtures.ts';
import type { Engine } from './engine.ts';
import { startFirefox } from './firefox.ts';
import type { Tab } from './tab.ts';
import { startWebKit } from './webkit.ts';

type WorkerFixtures = { engineName: EngineName; switchedOff: SwitchedOff; engine: Engine };

const start: Record<EngineName, (switchedOff: SwitchedOff) => Promise<Engine>> = {
  Firefox: startFirefox,
  WebKit: startWebKit,
};

/**
 * Both engines report loads that end because the visitor leaves the page or goes on, which then needs their result no more: a
 * module (each in its own words), the list of routes of Remix, a font (NS_BINDING_ABORTED), data.
 */
const ENDED_BY_LEAVING = new RegExp(
  [
    'error loading dynamically imported module',
    'Importing a module script failed',
    'Failed to fetch manifest patches',
    'downloadable font: download failed .* status=2152398850 ',
    'AbortError: (?:The operation was|Fetch is) aborted',
    'TypeError: Error in input stream',
  ].join('|'),
);

export const test = siteTest.extend<{ tab: Tab }, WorkerFixtures>({
  engineName: ['Firefox', { option: true, scope: 'worker' }],
  switchedOff: [null, { option: true, scope: 'worker' }],
  engine: [
    async ({ engineName, switchedOff }, use) => {
      const engine = await start[engineName](switchedOff);
      await use(engine);
      await engine.close();
    },
    { scope: 'worker' },
  ],
  tab: async ({ engine }, use) => {
    const { tab, problems, close } = await engine.openTab();
    await use(tab);
    await close();
    const lasting = problems.filter((problem) => !ENDED_BY_LEAVING.test(problem));
    expect(lasting, 'the console contains no errors or warnings').toEqual([]);
  },
});

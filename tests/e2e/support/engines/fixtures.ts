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
    expect(problems, 'the console contains no errors or warnings').toEqual([]);
  },
});

/** The fixtures of tests in browsers that Playwright does not drive. */
import { expect } from '@playwright/test';
import type { EngineName } from '../../../support/processes/engines.ts';
import { siteTest } from '../fixtures.ts';
import type { Engine } from './engine.ts';
import { startFirefox } from './firefox.ts';
import type { Tab } from './tab.ts';
import { startWebKit } from './webkit.ts';

type WorkerFixtures = { engineName: EngineName; hasScripts: boolean; engine: Engine };

const start: Record<EngineName, (hasScripts: boolean) => Promise<Engine>> = {
  Firefox: startFirefox,
  WebKit: startWebKit,
};

export const test = siteTest.extend<{ tab: Tab }, WorkerFixtures>({
  engineName: ['Firefox', { option: true, scope: 'worker' }],
  hasScripts: [true, { option: true, scope: 'worker' }],
  engine: [
    async ({ engineName, hasScripts }, use) => {
      const engine = await start[engineName](hasScripts);
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

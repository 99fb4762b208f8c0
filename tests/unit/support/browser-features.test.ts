/** The browser of the end-to-end tests keeps the features off that Playwright switches off. */
import { chromium } from '@playwright/test';
import { expect, it } from 'vitest';
import { disabledFeatures } from '../../support/setup/browser-features.ts';

/** The command line that Playwright starts a browser with. Node stands in for the browser, and refuses the options. */
async function commandLine(): Promise<string> {
  const error = await chromium.launch({ executablePath: process.execPath }).catch((reason) => reason);
  return /^<launching> .*/m.exec(String(error))?.[0] ?? '';
}

it('every feature that Playwright switches off is off in the end-to-end tests', async () => {
  const [, features] = / --disable-features=(\S+)/.exec(await commandLine()) ?? [];
  expect(features).toBeDefined();
  expect(disabledFeatures).toEqual(expect.arrayContaining(features?.split(',') ?? []));
});

/** The browser reports a violation of the Content-Security-Policy to the site. */
import { freePort } from '../../support/processes/site.ts';
import { otherHome } from '../../support/this-site.ts';
import { expect, test } from '../support/fixtures.ts';

const METRIC = 'tenfold_policy_violations_total';
let metricsPort = 0;

test.use({
  // The browser also reports the violation on the console.
  expectedConsole: /Content Security Policy/,
  siteEnvironment: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires the pattern.
    async ({}, use) => {
      metricsPort = await freePort();
      await use({ METRICS_PORT: String(metricsPort) });
    },
    { scope: 'worker' },
  ],
});

async function counts(): Promise<string[]> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith(METRIC));
}

// threat-model: T-053
test('an injected script leads to one report, which the site counts and logs', async ({ page, site }) => {
  await page.goto(`${otherHome}?draft=marked-query`);
  expect(await counts()).toEqual([]);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = "marked-sample"';
    document.head.append(script);
  });
  await expect.poll(counts).toEqual([`${METRIC}{directive="script-src-elem"} 1`]);
  await expect
    .poll(() => site.output())
    .toContain(`"directive":"script-src-elem","blocked":"inline","page":"${otherHome}"`);
  expect(site.output()).not.toContain('marked');
});

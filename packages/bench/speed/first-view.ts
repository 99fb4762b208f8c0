/** The bytes that a browser loads for a page: before the visitor does anything, and at the first interaction. */
import { chromium } from '@playwright/test';

export type FirstView = Record<'Document' | 'Script' | 'Stylesheet' | 'Font', number>;

/**
 * Loads `url` with an empty cache in the browser at `executablePath` until the network is idle. Then it moves the pointer
 * and waits until the page is hydrated. `view` counts bytes on the wire, `client` the compressed bytes of all scripts.
 */
export async function measureFirstView(
  url: string,
  executablePath: string,
): Promise<{ view: FirstView; client: number }> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage();
    const devtools = await page.context().newCDPSession(page);
    const bytes: FirstView = { Document: 0, Script: 0, Stylesheet: 0, Font: 0 };
    const kinds = new Map<string, string>();
    devtools.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type));
    devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const kind = kinds.get(requestId);
      if (kind && isCounted(kind)) bytes[kind] += encodedDataLength;
    });
    await devtools.send('Network.enable');
    await page.goto(url, { waitUntil: 'networkidle' });
    const view = { ...bytes };
    await page.mouse.move(1, 1);
    await page.waitForFunction(() => '__remixRouter' in window);
    return { view, client: await page.evaluate(scriptBytes) };
  } finally {
    await browser.close();
  }
}

/** Compressed bytes of all scripts that the page has loaded. Runs in the page. */
function scriptBytes(): number {
  return performance
    .getEntriesByType('resource')
    .filter((entry) => entry instanceof PerformanceResourceTiming)
    .filter(({ name }) => name.endsWith('.js'))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
}

function isCounted(kind: string): kind is keyof FirstView {
  return ['Document', 'Script', 'Stylesheet', 'Font'].includes(kind);
}

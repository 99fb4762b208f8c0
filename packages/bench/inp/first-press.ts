/** Measures the Interaction to Next Paint of the first press on a page. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, CDPSession } from '@playwright/test';
import { SELECTOR } from './controls.ts';

/** How many times slower than that of the machine the processor is. */
const SLOWDOWN = 6;

/** The browser reports no events that take less time. */
export const SHORTEST_MS = 16;

/** How long a button is held down, in milliseconds. */
const HELD_MS = 60;

/** The last event of the press is reported after its frame. */
const REPORT_MS = 200;

export type Press = {
  url: string;
  options: BrowserContextOptions;
  /** The index of the control among those that `SELECTOR` matches. */
  index: number;
  /** Milliseconds between the arrival of the pointer, when the client starts to load, and the press. */
  afterMs: number;
};

type Interaction = { duration: number; interactionId: number };

/**
 * Loads the page in a browser without a cache, and presses the control. Returns the longest time from an event of the
 * press to the next frame, in milliseconds. The next document of a link or form is answered with status 204 (RFC 9110
 * section 15.3.5), so that the page stays and reports its events.
 */
export async function measureFirstPress(
  browser: Browser,
  { url, options, index, afterMs }: Press,
): Promise<number> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    await page.addInitScript(recordInteractions, SHORTEST_MS);
    await page.goto(url);
    const place = await page.evaluate(placeOf, { selector: SELECTOR, index });
    const devtools = await context.newCDPSession(page);
    devtools.on('Fetch.requestPaused', ({ requestId }) => {
      void devtools.send('Fetch.fulfillRequest', { requestId, responseCode: 204 });
    });
    await devtools.send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] });
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    await press(devtools, place, afterMs);
    // Playwright's own functions would wait for the next document.
    const { result } = await devtools.send('Runtime.evaluate', {
      expression: `new Promise(requestAnimationFrame).then(() => new Promise((resolve) => setTimeout(resolve, ${REPORT_MS})))
        .then(() => recordedInteractions.map(({ duration }) => duration))`,
      awaitPromise: true,
      returnByValue: true,
    });
    return Math.max(SHORTEST_MS, ...result.value);
  } finally {
    await context.close();
  }
}

type Place = { x: number; y: number };

async function press(devtools: CDPSession, place: Place, afterMs: number): Promise<void> {
  const send = (type: 'mouseMoved' | 'mousePressed' | 'mouseReleased') =>
    devtools.send('Input.dispatchMouseEvent', { type, ...place, button: 'left', clickCount: 1 });
  // The browser responds to each of them when the page has handled it. A visitor does not wait for that.
  const sent = [send('mouseMoved')];
  await delay(afterMs);
  sent.push(send('mousePressed'));
  await delay(HELD_MS);
  sent.push(send('mouseReleased'));
  await Promise.all(sent);
}

declare global {
  interface Window {
    recordedInteractions: Interaction[];
  }
}

/** Runs in the page before its scripts. */
function recordInteractions(durationThreshold: number): void {
  window.recordedInteractions = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & Interaction)[]) {
      if (entry.interactionId) window.recordedInteractions.push(entry);
    }
  }).observe({ type: 'event', durationThreshold, buffered: true } as PerformanceObserverInit);
}

/** Scrolls the control into view and returns its middle when that has been drawn. Runs in the page. */
async function placeOf({ selector, index }: { selector: string; index: number }): Promise<Place> {
  const element = document.querySelectorAll(selector)[index];
  element?.scrollIntoView({ block: 'center', behavior: 'instant' });
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const { x, y, width, height } = element?.getBoundingClientRect() ?? new DOMRect();
  return { x: x + width / 2, y: y + height / 2 };
}

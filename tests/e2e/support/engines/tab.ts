/** What a visitor does in a browser, in terms that every engine can carry out: also one without JavaScript. */
import { expect, type Page } from '@playwright/test';

/** A tab of a browser. Its functions do not wait for what they cause. */
export type Tab = {
  goto(url: string): Promise<void>;
  url(): Promise<string>;
  back(): Promise<void>;
  forward(): Promise<void>;
  /** Gives the page this width. */
  resize(width: number): Promise<void>;
  /** Calls a function in the page. It returns at once, because a page without JavaScript runs no callbacks. */
  run<Argument, Result>(inPage: (argument: Argument) => Result, argument: Argument): Promise<Result>;
  /** Presses and releases the mouse at a point of the window. */
  press(x: number, y: number): Promise<void>;
  type(text: string): Promise<void>;
  cookies(): Promise<Record<string, string>>;
};

/** Elements that match a selector and that have a name: `aria-label`, or else their text. */
export type Target = {
  css: string;
  name?: string;
  /** Whether the name may be a part of that of the element. */
  part?: boolean;
};

type Sight = { x: number; y: number; isUncovered: boolean; value: string };

/** Limits for a slow or busy machine. */
const patience = { timeout: 30_000, intervals: [50, 100, 200] };

/** The tab of a page of Playwright. */
export const playwrightTab = (page: Page): Tab => ({
  goto: async (url) => void (await page.goto(url)),
  url: async () => page.url(),
  back: async () => void (await page.goBack()),
  forward: async () => void (await page.goForward()),
  resize: (width) => page.setViewportSize({ width, height: 800 }),
  run: (inPage, argument) =>
    // The types of Playwright exclude functions from the argument and the result.
    page.evaluate(inPage as (argument: unknown) => never, argument),
  press: (x, y) => page.mouse.click(x, y),
  type: (text) => page.keyboard.type(text),
  cookies: async () =>
    Object.fromEntries((await page.context().cookies()).map(({ name, value }) => [name, value])),
});

/** Waits until the page shows an element. */
export function expectVisible(tab: Tab, target: Target): Promise<void> {
  return until(async () => expect(await tab.run(look, target), nameOf(target)).not.toBeNull());
}

/** Waits until the page shows no such element. */
export function expectHidden(tab: Tab, target: Target): Promise<void> {
  return until(async () => expect(await tab.run(look, target), nameOf(target)).toBeNull());
}

/** Waits until the field contains the text. */
export function expectValue(tab: Tab, css: string, text: string): Promise<void> {
  return until(async () => expect((await tab.run(look, { css }))?.value, css).toBe(text));
}

/** Waits until the document element has the attribute. */
export function expectAttribute(tab: Tab, name: 'lang' | 'dir' | 'data-theme', value: string): Promise<void> {
  const read = (name: string) => document.documentElement.getAttribute(name);
  return until(async () => expect(await tab.run(read, name), name).toBe(value));
}

/** Waits until the tab is at an address of the site. */
export function expectPath(tab: Tab, path: string): Promise<void> {
  return until(async () => {
    const { pathname, search } = new URL(await tab.url());
    expect(pathname + search).toBe(path);
  });
}

/** Presses an element when it is at rest and nothing covers it, as a visitor does. */
export async function press(tab: Tab, target: Target): Promise<void> {
  let last: Sight | null = null;
  await until(async () => {
    const sight = await tab.run(look, target);
    const before = last;
    last = sight;
    expect(sight, nameOf(target)).toEqual({ ...before, isUncovered: true });
  });
  const { x, y } = last as unknown as Sight;
  await tab.press(x, y);
}

/** Presses an empty field and types a text. */
export async function fill(tab: Tab, css: string, text: string): Promise<void> {
  await press(tab, { css });
  await tab.type(text);
  await expectValue(tab, css, text);
}

/** Calls `assert` until it passes. It also fails while one document replaces another. */
export function until(assert: () => Promise<void>): Promise<void> {
  return expect(assert).toPass(patience);
}

const nameOf = ({ css, name }: Target) => (name === undefined ? css : `${css} “${name}”`);

/** Runs in the page. Returns the center of the first visible element, after scrolling to it. */
function look({ css, name, part = false }: Target): Sight | null {
  // French texts have a no-break space before a question mark.
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim();
  const isNamed = (element: HTMLElement) => {
    const own = plain(element.ariaLabel ?? element.textContent);
    return name === undefined || (part ? own.includes(plain(name)) : own === plain(name));
  };
  const element = [...document.querySelectorAll<HTMLElement>(css)].find(
    (element) => element.checkVisibility({ visibilityProperty: true }) && isNamed(element),
  );
  if (!element) return null;
  const isInWindow = ({ top, bottom }: DOMRect) => top >= 0 && bottom <= innerHeight;
  if (!isInWindow(element.getBoundingClientRect()))
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { left, top, width, height } = element.getBoundingClientRect();
  const [x, y] = [Math.round(left + width / 2), Math.round(top + height / 2)];
  const isUncovered = element.contains(document.elementFromPoint(x, y));
  const value =
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.value : '';
  return { x, y, isUncovered, value };
}

/** Finds texts of a page that do not fit, and texts that do not come from the translations. */
import type { Page } from '@playwright/test';
import { fonts } from '../../../app/brand/fonts.ts';
import { locales } from '../../../app/i18n/locales.ts';
import { siteName } from '../../../app/site-name.ts';
import { untouchedLetter } from './pseudo-locales.ts';

/** Texts that no translation has: names of the site, of languages and of typefaces, and units and delays by `Intl`. */
const untranslated = [
  siteName,
  ...locales.map(({ ownName }) => ownName),
  ...Object.values(fonts).map(({ family }) => family),
  /\bms\b/g,
  /\brem$/g,
  /\bin \d+ [a-z]*/g,
];

/** Code, user content, times, and texts in another language than that of the page. */
const OTHER_CONTENT = 'code, kbd, pre, bdi, time, [translate="no"], html [lang]';

/** Codes of languages and monograms of authors are not longer. */
const MAX_CODE_LENGTH = 2;

type PageTexts = {
  /** By how many pixels the page is wider than the window. */
  overflow: number;
  /** Elements that extend beyond the window. */
  outside: string[];
  /** Elements that hide a part of their text. */
  clipped: string[];
  /** Every text: of text nodes, of attributes that are read aloud or shown, and of the document's head. */
  texts: string[];
};

/** Describes what is wrong with the texts of the page. `content` are texts of the visitor. */
export async function findTextProblems(page: Page, content: readonly string[] = []): Promise<string[]> {
  const { overflow, outside, clipped, texts } = await page.evaluate(readTexts, OTHER_CONTENT);
  const withoutNames = (text: string) =>
    [...content, ...untranslated].reduce<string>((rest, name) => rest.replaceAll(name, ''), text);
  const untouched = texts.filter(
    (text) => text.length > MAX_CODE_LENGTH && untouchedLetter.test(withoutNames(text)),
  );
  return [
    ...(overflow > 0 ? [`is ${overflow} pixels wider than the window`] : []),
    ...outside.map((text) => `extends beyond the window: ${text}`),
    ...clipped.filter((text) => !content.includes(text)).map((text) => `is cut off: ${text}`),
    ...untouched.map((text) => `is not translated: ${text}`),
  ];
}

/** Runs in the page. */
function readTexts(otherContent: string): PageTexts {
  const excerpt = (text: string) => text.trim().replace(/\s+/g, ' ').slice(0, 80);
  const all = [...document.body.querySelectorAll<HTMLElement>('*')];
  const shown = all.filter(
    (element) =>
      element.textContent.trim() !== '' && element.checkVisibility() && !element.closest('.sr-only'),
  );
  const isContained = (element: Element | null): boolean =>
    element !== null &&
    element !== document.body &&
    (getComputedStyle(element).overflowX !== 'visible' || isContained(element.parentElement));
  const isOutside = (element: Element) => {
    const content = document.createRange();
    content.selectNodeContents(element);
    const { left, right } = content.getBoundingClientRect();
    return (left < -1 || right > innerWidth + 1) && !isContained(element);
  };
  // What is visually hidden is one pixel wide, and the width of inline elements is 0.
  const isClipped = (element: Element) =>
    /hidden|clip/.test(getComputedStyle(element).overflowX) &&
    element.clientWidth > 1 &&
    element.scrollWidth > element.clientWidth + 1;
  const isOwn = (element: Element | null) => !element?.closest(otherContent);
  const texts: string[] = [document.title];
  texts.push(document.querySelector<HTMLMetaElement>('meta[name="description"]')?.content ?? '');
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const isCode = node.parentElement?.closest('script, style, template, noscript');
    if (!isCode && isOwn(node.parentElement)) texts.push(node.textContent ?? '');
  }
  for (const name of ['aria-label', 'aria-description', 'aria-valuetext', 'title', 'alt', 'placeholder']) {
    for (const element of all) if (isOwn(element)) texts.push(element.getAttribute(name) ?? '');
  }
  return {
    overflow: document.documentElement.scrollWidth - innerWidth,
    outside: shown
      .filter((element) => element.childElementCount === 0 && isOutside(element))
      .map((element) => excerpt(element.textContent)),
    clipped: shown.filter(isClipped).map((element) => excerpt(element.textContent)),
    texts: [...new Set(texts.map(excerpt))],
  };
}

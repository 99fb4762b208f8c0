/** The home page: the top of the page, the diagram, the code, and what assistive technology reads of them. */
import type { Locator, Page } from '@playwright/test';
import { locales, localizePath } from '../../../../app/i18n/locales.ts';
import { expect, test } from '../../support/fixtures.ts';
import { linesOf, WIDTHS } from '../../support/line-breaks.ts';
import { loadedFiles, showLateFonts, upright, waitForFonts } from '../../support/shown-fonts.ts';
import { translationsOf } from '../../support/translations.ts';

const t = translationsOf('en');
const steps = ['login', 'browser', 'identity', 'data'] as const;
const EVERY_WIDTH = [320, 360, 640, 768, 1024, 1280, 1920];

/** The numbers in the diagram by their order on the screen: row by row, and in a row in reading direction. */
function numbersInReadingOrder(page: Page): Promise<(string | undefined)[]> {
  return page.evaluate(() => {
    const isRightToLeft = document.documentElement.dir === 'rtl';
    const places = [...document.querySelectorAll<HTMLElement>('[role="img"] [data-step]')].map((element) => {
      const { top, left, right } = element.getBoundingClientRect();
      return { step: element.dataset.step, top, start: isRightToLeft ? -right : left };
    });
    const isSameRow = (a: number, b: number) => Math.abs(a - b) < 4;
    return places
      .sort((a, b) => (isSameRow(a.top, b.top) ? a.start - b.start : a.top - b.top))
      .map(({ step }) => step);
  });
}

const topOf = (text: Locator) => text.evaluate((element) => element.getBoundingClientRect().top);

/** The upper edge of the first text in a link. */
function topOfFirstText(link: Locator): Promise<number> {
  return link.evaluate((element) => {
    const range = document.createRange();
    range.selectNode(document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode() ?? element);
    return range.getBoundingClientRect().top;
  });
}

/** The number of lines of a text. */
function countLines(text: Locator): Promise<number> {
  return text.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  });
}

type Box = { x: number; y: number; width: number; height: number };

/** The box of a part of the diagram on the screen. */
async function boxOf(page: Page, node: string): Promise<Box> {
  const box = await page.locator(`[data-node="${node}"]`).boundingBox();
  if (!box) throw new Error(`The diagram has no ${node}.`);
  return box;
}

/** Whether two boxes share a part of the screen. */
function overlap(a: Box, b: Box): boolean {
  const isApart =
    a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
  return !isApart;
}

for (const path of ['/', '/ar', '/de', '/ja']) {
  test(`${path} numbers the steps of the diagram in reading order, with AWS outside the box of the server, at every width`, async ({
    page,
  }) => {
    await page.goto(path);
    await waitForFonts(page);
    for (const width of EVERY_WIDTH) {
      await page.setViewportSize({ width, height: 900 });
      expect(await numbersInReadingOrder(page), `${width} px`).toEqual(['1', '2', '3', '4']);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow, `no horizontal scrolling at ${width} px`).toBeLessThanOrEqual(0);
      const server = await boxOf(page, 'server');
      for (const service of ['login', 'identity', 'data']) {
        expect(overlap(server, await boxOf(page, service)), `${service} at ${width} px`).toBe(false);
      }
    }
  });
}

test('the title has at most three lines and begins beside its text, and those of the next pages have one height, in every language', async ({
  page,
}) => {
  await showLateFonts(page);
  for (const locale of locales) {
    const text = translationsOf(locale.code);
    const title = page.getByRole('heading', { level: 1 });
    const lead = page.getByText(text('home:lead'), { exact: true });
    const next = page.getByRole('region', { name: text('home:next.title') }).getByRole('link');
    await page.goto(localizePath('/', locale));
    await waitForFonts(page);
    for (const width of [1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      expect.soft(await countLines(title), `lines in ${locale.name} at ${width} px`).toBeLessThanOrEqual(3);
      expect
        .soft(
          Math.abs((await topOf(title)) - (await topOf(lead))),
          `difference of the tops in ${locale.name} at ${width} px`,
        )
        .toBeLessThan(1);
      if (width !== 1280) continue;
      const tops = await Promise.all((await next.all()).map(topOfFirstText));
      expect.soft(tops.length, locale.code).toBeGreaterThan(1);
      expect.soft(new Set(tops).size, locale.code).toBe(1);
    }
  }
});

test('the diagram is read once: an image with a short name, and then the list of its steps', async ({
  page,
}) => {
  await page.goto('/');
  const section = page.getByRole('region', { name: t('home:call.title') });
  const tree = await section.ariaSnapshot();
  const expected = [
    `- region "${t('home:call.title')}":`,
    `- heading "${t('home:call.title')}" [level=2]`,
    `- paragraph: ${t('home:call.intro')}`,
    `- img "${t('home:call.drawing')}"`,
    '- list:',
    ...steps.map((step) => `- listitem: ${t(`home:call.steps.${step}`)}`),
  ];
  expect(
    tree.split('\n').map((line) =>
      line
        .trim()
        .replace(/: "(.*)"$/, ': $1')
        .replace(/^- '(.*)'$/, '- $1'),
    ),
  ).toEqual(expected);
});

test('code that is wider than the window scrolls by keyboard', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/');
  const code = page.getByRole('region', { name: t('home:run.code.label') });
  await code.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => code.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('a language of the strip is chosen for this visit and the next, also English again', async ({
      page,
      context,
    }) => {
      await page.goto('/');
      await page
        .getByRole('form', { name: t('home:languages') })
        .getByRole('button', { name: 'العربية' })
        .click();
      await expect(page).toHaveURL('/ar');
      await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
      await expect(page.getByRole('complementary')).toHaveCount(0);
      expect((await context.cookies()).find(({ name }) => name === 'locale')?.value).toBe('ar');
      await page.goto('about:blank');
      await page.goto('/');
      await expect(page).toHaveURL('/ar');
      await page
        .getByRole('main')
        .getByRole('button', { name: /English/ })
        .click();
      await expect(page).toHaveURL('/');
      await expect(page.locator('html')).toHaveAttribute('lang', 'en-US');
    });
  });
}

test('the page loads exactly the font files that its characters need', async ({ page }) => {
  await page.goto('/');
  await waitForFonts(page);
  const words = ['ar', 'hi', 'ja', 'ru', 'zh'].map((code) => `${code}-names`);
  expect(await loadedFiles(page)).toEqual([...words, ...upright].sort());
});

test('each greeting in the strip of languages has one line at every width', async ({ page }) => {
  const strip = page.getByRole('form', { name: t('home:languages') });
  await page.goto('/');
  for (const width of EVERY_WIDTH) {
    await page.setViewportSize({ width, height: 900 });
    await waitForFonts(page);
    for (const { code } of locales) {
      const greeting = strip.getByText(translationsOf(code)('home:allLocales.greeting'), { exact: true });
      const isInOneLine = await greeting.evaluate((element) => {
        const lineHeight = Number.parseFloat(getComputedStyle(element).lineHeight);
        return element.clientHeight <= 1.5 * lineHeight && element.scrollWidth <= element.clientWidth;
      });
      expect(isInOneLine, `${code} at ${width} px`).toBe(true);
    }
  }
});

test('the title of the Chinese home page breaks within no word', async ({ page }) => {
  await page.goto('/zh');
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await waitForFonts(page);
    const lines = await linesOf(page, 'h1');
    for (const line of lines.slice(0, -1)) expect(line, `at ${width} pixels`).toMatch(/[，。、；：！？]$/);
  }
});

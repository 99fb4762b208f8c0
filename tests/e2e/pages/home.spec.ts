/** The home page: the top of the page, the diagram, the code, and what assistive technology reads of them. */
import type { Page } from '@playwright/test';
import { locales, localizePath } from '../../../app/i18n/locales.ts';
import { expect, test } from '../support/fixtures.ts';
import { showLateFonts, waitForFonts } from '../support/shown-fonts.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');
const steps = ['login', 'browser', 'identity', 'data'] as const;

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

/** The number of lines of the title, and how much lower it begins than the text beside it. */
function titlePosition(page: Page): Promise<{ lines: number; offset: number }> {
  return page.evaluate(() => {
    const title = document.querySelector('h1');
    const lead = document.querySelector('h1 + p');
    if (!title || !lead) throw new Error('There is no title with a text beside it.');
    const range = document.createRange();
    range.selectNodeContents(title);
    const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
    const offset = title.getBoundingClientRect().top - lead.getBoundingClientRect().top;
    return { lines: new Set(tops).size, offset };
  });
}

/** The upper edges of the titles of the next pages. */
function nextTitleTops(page: Page): Promise<number[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main section:last-of-type li a > span > span:first-child')].map(
      (element) => element.getBoundingClientRect().top,
    ),
  );
}

for (const path of ['/', '/ar', '/de', '/ja']) {
  test(`${path} numbers the steps of the diagram in reading order at every width`, async ({ page }) => {
    await page.goto(path);
    await waitForFonts(page);
    for (const width of [320, 360, 640, 768, 1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await numbersInReadingOrder(page), `${width} px`).toEqual(['1', '2', '3', '4']);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow, `no horizontal scrolling at ${width} px`).toBeLessThanOrEqual(0);
    }
  });
}

test('the title has at most three lines and begins beside its text, and those of the next pages have one height, in every language', async ({
  page,
}) => {
  await showLateFonts(page);
  for (const locale of locales) {
    await page.goto(localizePath('/', locale));
    await waitForFonts(page);
    for (const width of [1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      const { lines, offset } = await titlePosition(page);
      expect.soft(lines, `lines in ${locale.name} at ${width} px`).toBeLessThanOrEqual(3);
      expect
        .soft(Math.abs(offset), `difference of the tops in ${locale.name} at ${width} px`)
        .toBeLessThan(1);
      if (width !== 1280) continue;
      const tops = await nextTitleTops(page);
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

test('the services of AWS are outside the box of the server at every width', async ({ page }) => {
  await page.goto('/');
  for (const width of [320, 768, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    const contains = await page.evaluate(
      (names) => {
        const boxOf = (name: string) => {
          const text = [...document.querySelectorAll('[role="img"] p')].find(
            ({ textContent }) => textContent === name,
          );
          return text?.closest('.border');
        };
        const server = boxOf(names[0] ?? '');
        if (!server) throw new Error('The diagram has no server.');
        return names.slice(1).filter((name) => server.contains(boxOf(name) ?? null));
      },
      [
        t('home:call.nodes.server.name'),
        t('home:call.nodes.login.name'),
        t('home:call.nodes.identity.name'),
        t('home:call.nodes.data.name'),
      ],
    );
    expect(contains).toEqual([]);
  }
});

test('code that is wider than the window scrolls by keyboard', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/');
  const code = page.getByRole('region', { name: t('home:run.code.label') });
  await code.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => code.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
});

test('each greeting in the strip of languages has one line at every width', async ({ page }) => {
  await page.goto('/');
  for (const width of [320, 360, 640, 768, 1024, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await waitForFonts(page);
    const broken = await page.locator('.language-fold a > :first-child').evaluateAll((greetings) =>
      greetings
        .filter((greeting) => {
          const lineHeight = Number.parseFloat(getComputedStyle(greeting).lineHeight);
          return greeting.clientHeight > 1.5 * lineHeight || greeting.scrollWidth > greeting.clientWidth;
        })
        .map(({ textContent }) => textContent),
    );
    expect(broken, `${width} px`).toEqual([]);
  }
});

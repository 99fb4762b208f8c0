/** The image that social networks and messengers show for a link to the site: one for each language. */
import type { Browser, Page } from '@playwright/test';
import { logo } from '../app/brand/logo.ts';
import { type Locale, locales, localizePath } from '../app/i18n/locales.ts';
import { siteName } from '../app/site-name.ts';
import { showLateFonts } from '../tests/e2e/support/shown-fonts.ts';

/** The size that social networks and messengers show without cropping. */
const SIZE = { width: 1200, height: 630 };
const TITLE_SIZE = 80;
const GAP = 28;
const FOLD = 22;
const STRIP_HEIGHT = 90;

const styles = `
  body { margin: 0; background: var(--color-canvas) }
  .card { box-sizing: border-box; display: flex; flex-direction: column; gap: ${GAP}px;
    height: ${SIZE.height - STRIP_HEIGHT - FOLD - GAP}px;
    padding: 64px 80px 0; color: var(--color-ink) }
  .card header { display: flex; align-items: center; gap: 16px; font: 600 40px var(--font-display) }
  .card header svg { width: 64px }
  .card header span { margin-inline-start: auto; font: 30px var(--font-sans); color: var(--color-ink-muted) }
  .card h1 { margin: auto 0; font: 600 ${TITLE_SIZE}px / var(--leading-heading) var(--font-display);
    letter-spacing: var(--tracking-heading); text-wrap: balance }
  .card + svg { display: block; margin-block-start: ${GAP}px; width: 100%; height: ${STRIP_HEIGHT + FOLD}px }
`;

/** Writes `{locale}.png` to the folder, with the title of the home page. */
export async function takeShareImages(browser: Browser, baseURL: string, folder: string): Promise<void> {
  const context = await browser.newContext({ baseURL, viewport: SIZE, bypassCSP: true });
  const page = await context.newPage();
  await showLateFonts(page);
  for (const locale of locales) {
    await page.goto(localizePath('/', locale));
    await showCard(page, locale);
    await fitTitle(page);
    await page.screenshot({ path: `${folder}/${locale.code}.png` });
  }
  await context.close();
}

async function showCard(page: Page, { ownName }: Locale): Promise<void> {
  await page.addStyleTag({ content: styles });
  const texts = [siteName, ownName, await page.locator('meta[property="og:title"]').getAttribute('content')];
  const markup = `<div class="card"><header>${mark()}<b></b><span></span></header><h1></h1></div>${strip()}`;
  await page.locator('body').evaluate(
    (body, { markup, texts }) => {
      body.innerHTML = markup;
      for (const [index, element] of body.querySelectorAll('b, span, h1').entries())
        element.textContent = texts[index] ?? '';
    },
    { markup, texts },
  );
}

/** Makes the title smaller until everything is in the card, with the fonts of the site. */
async function fitTitle(page: Page): Promise<void> {
  await page.evaluate(async (largest) => {
    const card = document.querySelector('.card');
    const title = document.querySelector('h1');
    if (!card || !title) throw new Error('There is no card.');
    // The browser requests the files that a text needs when it lays the text out.
    card.getBoundingClientRect();
    await document.fonts.ready;
    for (let size = largest; card.scrollHeight > card.clientHeight; size -= 4)
      title.style.fontSize = `${size}px`;
  }, TITLE_SIZE);
}

function mark(): string {
  const paths = logo.map(({ color, d }) => `<path fill="var(--color-${color})" d="${d}"/>`);
  return `<svg viewBox="0 0 32 32">${paths.join('')}</svg>`;
}

/** A folded strip with one panel for each language, from the primary to the secondary color. */
function strip(): string {
  const panels = locales.map((_, index) => {
    const share = (index / Math.max(1, locales.length - 1)) * 100;
    const color = `color-mix(in oklab, var(--color-secondary) ${share}%, var(--color-primary))`;
    const [start, end, shade] = index % 2 === 0 ? [FOLD, 0, 0] : [0, FOLD, 16];
    const bottom = STRIP_HEIGHT + FOLD;
    const points = `${index},${start} ${index + 1.01},${end} ${index + 1.01},${bottom} ${index},${bottom}`;
    return `<polygon points="${points}" style="fill: color-mix(in oklab, black ${shade}%, ${color})"/>`;
  });
  return `<svg viewBox="0 0 ${locales.length} ${STRIP_HEIGHT + FOLD}" preserveAspectRatio="none">${panels.join('')}</svg>`;
}

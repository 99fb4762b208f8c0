/**
 * Takes the share images and the screenshots of the README, with `--share` the share images alone, or with `--all FOLDER`
 * one screenshot of every page in every language and theme at four widths, and of the message page before and after the
 * sign-in. Needs a build.
 */
import { mkdir } from 'node:fs/promises';
import { type Browser, chromium } from '@playwright/test';
import { localeOfPath, locales, localizePath } from '../app/i18n/locales.ts';
import { plainPages } from '../app/i18n/localized-page.ts';
import { layOutEverything, showLateFonts } from '../tests/e2e/support/shown-fonts.ts';
import { startStack } from '../tests/support/processes/stack.ts';
import { completeSignUp } from '../tests/support/sign-in/hosted-login-pages.ts';
import { findOrInstallBrowser, NO_BROWSER } from './setup/browser.mjs';
import { takeShareImages } from './share-images.ts';

type Shot = {
  path: string;
  width: number;
  scheme: 'light' | 'dark';
  signedIn?: boolean;
  file: string;
  full?: boolean;
};

const forReadme: Shot[] = [
  { path: '/', width: 1280, scheme: 'light', file: 'home.png' },
  { path: '/ar', width: 1280, scheme: 'light', file: 'home-arabic.png' },
  { path: '/test-message', width: 1280, scheme: 'light', signedIn: true, file: 'test-message.png' },
  { path: '/typography-demo', width: 1280, scheme: 'dark', file: 'typography-dark.png' },
];

const everything: Shot[] = locales.flatMap((locale) =>
  [...plainPages, { name: 'signed-in', slug: 'test-message' }].flatMap(({ name, slug }) =>
    [360, 768, 1280, 1920].flatMap((width) =>
      (['light', 'dark'] as const).map((scheme) => ({
        path: localizePath(`/${slug}`, locale),
        width,
        scheme,
        signedIn: name === 'signed-in',
        file: `${name}-${locale.code}-${width}-${scheme}.png`,
        full: true,
      })),
    ),
  ),
);

const messages = [
  'Hello from the far side of a signed request.',
  'مرحبًا! اتجاه النص يتبع محتواه.',
  'Le navigateur ne reçoit ni clé ni jeton lisible.',
] as const;

const [flag, folder] = process.argv.slice(2);
const [shots, directory] =
  flag === '--all' ? [everything, folder ?? 'screenshots'] : [forReadme, 'docs/screenshots'];
const SHARE_IMAGES = 'app/share-images';

const executablePath = findOrInstallBrowser();
if (!executablePath) throw new Error(NO_BROWSER);
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const stack = await startStack();
const browser = await chromium.launch({ executablePath, args });
if (flag !== '--all') {
  await mkdir(SHARE_IMAGES, { recursive: true });
  await takeShareImages(browser, stack.site.origin, SHARE_IMAGES);
}
if (flag !== '--share') {
  await mkdir(directory, { recursive: true });
  const session = await signUpAndPost(browser);
  for (const shot of shots) await take(browser, shot, session);
}
await browser.close();
await stack.stop();

async function take(
  browser: Browser,
  { path, width, scheme, signedIn, file, full = false }: Shot,
  session: Awaited<ReturnType<typeof signUpAndPost>>,
): Promise<void> {
  const context = await browser.newContext({
    baseURL: stack.site.origin,
    viewport: { width, height: 800 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    // The language of the page, so that it offers no other one.
    locale: localeOfPath(path).iso,
    ...(signedIn ? { storageState: session } : {}),
  });
  const page = await context.newPage();
  await showLateFonts(page);
  await page.goto(path);
  if (signedIn) await page.getByRole('listitem').getByText(messages[0], { exact: true }).waitFor();
  await page.evaluate(() => document.fonts.ready);
  // Chromium's own pictures of whole pages have the styles of a narrower window.
  if (full) {
    await layOutEverything(page);
    await page.setViewportSize({ width, height: await page.evaluate(heightOfPage) });
  }
  await page.screenshot({ path: `${directory}/${file}` });
  await context.close();
}

function heightOfPage(): number {
  return document.documentElement.scrollHeight;
}

/** Gives the cookies of a new account that has posted the messages. */
async function signUpAndPost(browser: Browser) {
  const context = await browser.newContext({ baseURL: stack.site.origin });
  const page = await context.newPage();
  await page.goto('/auth/sign-up?returnTo=/test-message');
  await completeSignUp(page, stack.cloud, 'ada@example.com');
  for (const text of messages) {
    await page.locator('textarea').fill(text);
    await page.locator('main form:has(textarea) button[type="submit"]').click();
    await page.getByRole('listitem').getByText(text, { exact: true }).waitFor();
    await page.locator('main form:has(textarea) button[type="submit"]:not([aria-busy="true"])').waitFor();
  }
  const cookies = await context.storageState();
  await context.close();
  return cookies;
}

/** A complete visit, in any engine. */
import { expect, test } from '@playwright/test';
import type { LocalCloud } from '@tenfold/local-cloud';
import { fonts } from '../../../app/brand/fonts.ts';
import { defaultLocale, type Locale } from '../../../app/i18n/locales.ts';
import { emailedCode, PASSWORD } from '../../support/sign-in/hosted-login.ts';
import { examplePage, examplePath, formPath, hasPage, mirrored } from '../../support/this-site.ts';
import {
  expectAttribute,
  expectHidden,
  expectPath,
  expectValue,
  expectVisible,
  fill,
  press,
  type Tab,
  until,
} from '../support/engines/tab.ts';
import { translationsOf } from '../support/translations.ts';
import { ignoreLongTimers } from '../support/walk.ts';

/** A site may have removed the page with the messages. */
const hasMessages = hasPage('test-message');

const WIDE = 1280;
const NARROW = 360;

/** The default language, and one from right to left if the site has one. */
export const visitedLocales: ReadonlySet<Locale> = new Set([defaultLocale, mirrored]);

type Visit = { tab: Tab; cloud: LocalCloud; origin: string; locale: Locale; hasScripts: boolean };

/** Reads, switches language and theme, signs up, posts, deletes, goes back and forward, and signs out. */
export async function visitTheSite({ tab, cloud, origin, locale, hasScripts }: Visit): Promise<void> {
  const { code } = locale;
  const t = translationsOf(code);
  const email = `visitor-${code}-${hasScripts}@example.com`;
  const text = `1 < 2 & “${locale.ownName}” ✓`;
  const start = formPath(locale);
  const accountMenu = { css: 'header summary', name: email, part: true };
  const exampleHeading = { css: 'h1', name: t(`${examplePage.namespace}:title`) };
  /** Where the page invites to sign in. */
  const invitation = hasMessages ? 'main' : 'header';

  await test.step('read and switch the language', async () => {
    await tab.resize(WIDE);
    await tab.goto(`${origin}${examplePath()}?size=large`);
    await expectAttribute(tab, 'lang', defaultLocale.iso);
    if (locale !== defaultLocale) {
      await press(tab, { css: 'header summary', name: defaultLocale.ownName, part: true });
      await press(tab, { css: 'header button', name: locale.ownName });
    }
    await expectPath(tab, `${examplePath(locale)}?size=large`);
    await expectAttribute(tab, 'lang', locale.iso);
    await expectAttribute(tab, 'dir', locale.dir);
    await expectVisible(tab, exampleHeading);
    await expectFontsLoaded(tab, code);
    await expectToFitNarrowWindow(tab);
  });

  await test.step('switch the theme', async () => {
    await expectAttribute(tab, 'data-theme', 'system');
    await press(tab, { css: 'header button', name: t('theme.dark') });
    await expectAttribute(tab, 'data-theme', 'dark');
    await expectPath(tab, `${examplePath(locale)}?size=large`);
    // A page may show the theme before the browser has stored it. A new document could cancel the request.
    await until(async () => expect(await tab.cookies()).toMatchObject({ theme: 'dark' }));
  });

  await test.step('create an account with the emailed code', async () => {
    if (hasMessages) {
      await press(tab, { css: 'header nav a', name: t('nav.pages.test-message') });
      await expectVisible(tab, { css: 'main :is(h1, h2)', name: t('test-message:signedOut.title') });
    } else {
      await tab.goto(origin + start);
    }
    await press(tab, { css: `${invitation} a`, name: t('account.signUp'), part: true });
    await fill(tab, 'input[name="email"]', email);
    await fill(tab, 'input[name="password"]', PASSWORD);
    await press(tab, submitOf('email'));
    await expectVisible(tab, { css: 'input[name="code"]' });
    await fill(tab, 'input[name="code"]', emailedCode(cloud, email));
    await press(tab, submitOf('code'));
    await expectPath(tab, start);
    await expectAttribute(tab, 'data-theme', 'dark');
    await expectVisible(tab, accountMenu);
  });

  if (hasMessages) {
    const message = { css: 'li [dir="auto"]', name: text };
    const emptyList = { css: 'main *', name: t('test-message:list.empty') };
    // Its name contains the text of the message.
    const deleteButton = { css: 'li button', name: text, part: true };

    await test.step('post a message and see it', async () => {
      await expectVisible(tab, emptyList);
      await press(tab, { css: 'textarea' });
      if (hasScripts) await expectHydrated(tab);
      await fill(tab, 'textarea', text);
      await press(tab, { css: 'main button', name: t('test-message:compose.send') });
      await expectVisible(tab, { css: '[role="status"]', name: t('test-message:compose.sent') });
      await expectVisible(tab, message);
      await expectValue(tab, 'textarea', '');
      await expectVisible(tab, { css: 'main :is(h2, h3)', name: t('test-message:timing.title') });
      await expectToFitNarrowWindow(tab);
    });

    await test.step('delete it, and undo or cancel that', async () => {
      // On a slow machine the ten seconds of the offer to undo pass before it is used.
      await tab.run(ignoreLongTimers, undefined);
      await press(tab, deleteButton);
      await (hasScripts
        ? press(tab, { css: 'li button', name: t('test-message:list.undo') })
        : press(tab, { css: 'li a', name: t('test-message:list.cancel') }));
      await expectHidden(tab, {
        css: 'li :is(button, a)',
        name: t(`test-message:list.${hasScripts ? 'undo' : 'cancel'}`),
      });
      await expectVisible(tab, message);

      await press(tab, deleteButton);
      if (hasScripts) {
        await expectVisible(tab, { css: 'li p', name: t('test-message:list.deleted') });
        await press(tab, { css: 'li button', name: t('test-message:list.dismiss') });
      } else {
        await expectVisible(tab, { css: 'li p', name: t('test-message:list.confirm') });
        await press(tab, { css: 'li button', name: t('test-message:list.delete') });
        await expectVisible(tab, { css: '[role="status"]', name: t('test-message:list.deleted') });
        await expectPath(tab, start);
      }
      await expectVisible(tab, emptyList);
    });

    await test.step('go to another page, back and forward', async () => {
      await press(tab, { css: 'nav a', name: t(`nav.pages.${examplePage.name}`) });
      await expectPath(tab, examplePath(locale));
      await expectVisible(tab, exampleHeading);
      await tab.back();
      await expectPath(tab, start);
      await expectVisible(tab, emptyList);
      await expectAttribute(tab, 'data-theme', 'dark');
      await tab.forward();
      await expectPath(tab, examplePath(locale));
      await expectVisible(tab, exampleHeading);
      await expectVisible(tab, accountMenu);
    });
  }

  await test.step('sign out of the site and of the hosted login', async () => {
    const signOut = { css: 'header button', name: t('account.signOut') };
    await press(tab, accountMenu);
    await expectVisible(tab, signOut);
    await expectToFitNarrowWindow(tab);
    await press(tab, signOut);
    await expectPath(tab, examplePath(locale));
    await expectVisible(tab, { css: 'header a', name: t('account.signIn'), part: true });
    const session = Object.keys(await tab.cookies()).filter((name) => name.startsWith('session'));
    expect(session).toEqual([]);
    await tab.goto(origin + start);
    await press(tab, { css: `${invitation} a`, name: t('account.signIn'), part: true });
    await expectVisible(tab, { css: 'input[name="password"]' });
  });
}

/** The button of the hosted login's form with this field. */
const submitOf = (field: string) => ({ css: `form:has(input[name="${field}"]) button[type="submit"]` });

/** Waits until the client-side code has the page, which pressing it starts. */
function expectHydrated(tab: Tab): Promise<void> {
  return until(async () => expect(await tab.run(() => history.scrollRestoration, undefined)).toBe('manual'));
}

/** Waits until the files of the site's fonts are loaded, also those for the letters of the language. */
function expectFontsLoaded(tab: Tab, code: string): Promise<void> {
  const families = Object.values(fonts).map(({ family }) => family);
  const unfinishedFonts = ({ own, families }: { own: string; families: string[] }) => {
    const faces = [...document.fonts].map(({ family, status }) => [family.replaceAll('"', ''), status]);
    const isDeclared = (name: string) => faces.some(([family]) => family === name);
    const isLoaded = (name: string) =>
      faces.some(([family, status]) => family === name && status === 'loaded');
    const expected = isDeclared(own) ? [...families, own] : families;
    return expected.every(isLoaded) ? [] : faces.filter(([family]) => expected.includes(family ?? ''));
  };
  return until(async () => {
    const unfinished = await tab.run(unfinishedFonts, { own: `Text ${code}`, families });
    // The files are optional. Firefox does not use one that arrives late, but has it for the next page.
    if (unfinished.some(([, status]) => status === 'error')) await tab.goto(await tab.url());
    expect(unfinished, 'fonts that are not loaded').toEqual([]);
  });
}

/** Asserts that the page, as it is now, does not scroll sideways in a narrow window. */
async function expectToFitNarrowWindow(tab: Tab): Promise<void> {
  await tab.resize(NARROW);
  const size = () => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return { window: innerWidth, outside: scrollWidth - clientWidth };
  };
  await until(async () => expect(await tab.run(size, undefined)).toEqual({ window: NARROW, outside: 0 }));
  await tab.resize(WIDE);
  await until(async () => expect(await tab.run(size, undefined)).toEqual({ window: WIDE, outside: 0 }));
}

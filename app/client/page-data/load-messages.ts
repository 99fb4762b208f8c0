import { defaultLocale, type Locale } from '../../i18n/locales.ts';
import type { Page } from '../../pages.ts';
import type { BrowserMessages } from './browser-messages.ts';
import type { Payloads } from './payloads.ts';

/**
 * Loads the messages of a page that are missing, and on a change of locale also those of the default locale as a
 * fallback. A failure is logged and does not reject: callers check with `hasMessages`.
 */
export async function loadMessages(
  page: Page,
  locale: Locale,
  isLocaleChange: boolean,
  { messages, payloads }: { messages: BrowserMessages; payloads: Payloads },
): Promise<void> {
  const needed = isLocaleChange && locale !== defaultLocale ? [locale, defaultLocale] : [locale];
  await Promise.all(
    needed
      .filter((candidate) => !hasMessages(messages, page, candidate))
      .map(async (candidate) => {
        try {
          messages.add(candidate.code, (await payloads.load(page, candidate)).messages);
        } catch (error) {
          console.warn(`Failed to load messages for locale "${candidate.code}":`, error);
        }
      }),
  );
}

/** Whether the shared messages and the page's own are loaded in this locale. */
export function hasMessages(messages: BrowserMessages, page: Page, locale: Locale): boolean {
  return messages.has(locale.code, 'common') && messages.has(locale.code, page.namespace);
}

import { useFetcher, useLocation } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useRootData } from '~/components/document/root-data.ts';
import { parseLocale, stripLocale } from '~/i18n/locales.ts';
import { pageAtPath } from '~/i18n/localized-page.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import { buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { LANGUAGE_FETCHER } from './language-form.tsx';
import { ReturnToField } from './return-to-field.tsx';

/**
 * One line that offers the page in the visitor's language, in that language. Its buttons change the language as the
 * language menu does, or dismiss the offer for good.
 */
export function LanguageOffer() {
  const { pathname } = useLocation();
  const current = useLocale();
  const fetcher = useFetcher({ key: LANGUAGE_FETCHER });
  const offer = useRootData()?.languageOffer;
  const locale = parseLocale(offer?.locale);
  const isPage = pageAtPath(stripLocale(pathname)) !== null;
  const isDismissing = fetcher.formData?.has('languageOffer') ?? false;
  const isShown = isPage && locale !== null && locale !== current && !isDismissing;
  useFocusWhenHidden(isShown);
  if (!isShown || !offer) return null;
  return (
    <div data-words="language-offer">
      <aside
        aria-label={offer.label}
        lang={locale.iso}
        dir={locale.dir}
        className="border-b border-line bg-primary-soft text-primary-ink print:hidden"
      >
        <fetcher.Form
          method="post"
          action="/preferences"
          preventScrollReset
          className="page-width flex flex-wrap items-center gap-x-4 py-1.5"
        >
          <ReturnToField />
          <Choices {...offer} />
        </fetcher.Form>
      </aside>
    </div>
  );
}

type Offer = NonNullable<NonNullable<ReturnType<typeof useRootData>>['languageOffer']>;

/** The sentence of the offer, and the buttons that accept and dismiss it. */
function Choices({ available, locale, ...labels }: Offer) {
  return (
    <>
      <p className="flex gap-3 py-1">
        <Icon name="lucide:globe" className="mt-[0.2em] size-5" />
        <span>{available}</span>
      </p>
      <button type="submit" name="locale" value={locale} className={buttonClass('secondary', 'small')}>
        {labels.switch}
      </button>
      <button
        type="submit"
        name="languageOffer"
        value="dismissed"
        className={`${buttonClass('quiet', 'small')} ms-auto`}
      >
        {labels.dismiss}
      </button>
    </>
  );
}

/** Moves the focus to the page when the focused button disappears, so that it does not return to the document's start. */
function useFocusWhenHidden(isShown: boolean) {
  const wasShown = useRef(isShown);
  useEffect(() => {
    const isFocusLost = document.activeElement === document.body;
    if (wasShown.current && !isShown && isFocusLost) {
      document.getElementById('content')?.focus({ preventScroll: true });
    }
    wasShown.current = isShown;
  }, [isShown]);
}

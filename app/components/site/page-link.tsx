import { Link, type LinkProps } from '@remix-run/react';
import { type RefObject, useEffect, useRef } from 'react';
import { prefetchPage } from '~/client/navigation/prefetch.ts';
import { type PageTarget, pathOf } from '~/i18n/localized-page.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import { pageNamed } from '~/pages.ts';

/**
 * A link to a page in the current locale, with the values of its parameters in `params`. Prefetches the page when the
 * visitor is about to follow the link.
 */
export function PageLink({ page: name, params, ...props }: PageTarget & Omit<LinkProps, 'to'>) {
  const page = pageNamed(name);
  const locale = useLocale();
  const link = useRef<HTMLAnchorElement>(null);
  const intentHandlers = useIntent(link, () => prefetchPage(page, locale));
  // The document has the routes of all pages in its language. A list may have more links than one discovery can ask about.
  const discover = params ? 'none' : 'render';
  return (
    <Link discover={discover} {...props} {...intentHandlers} ref={link} to={pathOf(page, locale, params)} />
  );
}

/** A shorter hover or focus is not an intent, because pointers and the focus pass over links. */
const MIN_INTENT_MS = 100;

/** Event handlers for `link` that call `act` when the visitor seems about to follow it. */
function useIntent(link: RefObject<HTMLElement>, act: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const firstAct = useRef(act);
  const stop = () => clearTimeout(timer.current);
  const start = () => {
    stop();
    timer.current = setTimeout(act, MIN_INTENT_MS);
  };
  useEffect(() => {
    // The pointer that caused hydration may have been over the link for a while. The effects of all components run in one
    // task, which this must not make longer.
    if (link.current?.matches(':hover, :focus')) timer.current = setTimeout(firstAct.current);
    return () => clearTimeout(timer.current);
  }, [link]);
  return { onMouseEnter: start, onFocus: start, onMouseLeave: stop, onBlur: stop, onTouchStart: act };
}

import { useLocation } from '@remix-run/react';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { buttonClass } from './button.tsx';
import { Icon } from './icon.tsx';

type DisclosureProps = {
  /** What the button says; part of it may be hidden on small screens. */
  label: ReactNode;
  children: ReactNode;
};

/**
 * A button that opens a panel below it: a `<details>`, so that it works before and without scripts. Of all of them on a
 * page one is open at a time. With scripts it also closes as menus do.
 */
export function Disclosure({ label, children }: DisclosureProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useDismissal(details);
  return (
    <details ref={details} name="header-menu" className="group sm:relative">
      <summary className={buttonClass('quiet', 'small')}>
        {label}
        <Icon name="lucide:chevron-down" className="size-4 transition-transform group-open:rotate-180" />
      </summary>
      <div className="absolute end-4 top-full z-20 mt-2 w-[min(21rem,calc(100vw-2rem))] rounded-card border border-line bg-surface p-2 shadow-raised sm:end-0">
        {children}
      </div>
    </details>
  );
}

/** Closes on Escape, on a press outside, when the focus leaves, and when another page is shown. */
function useDismissal(details: RefObject<HTMLDetailsElement>) {
  const { key } = useLocation();
  const shownAt = useRef(key);

  useEffect(() => {
    // Not on the first run: someone may have opened it before the page was hydrated.
    if (shownAt.current !== key) details.current?.removeAttribute('open');
    shownAt.current = key;
  }, [details, key]);

  useEffect(() => {
    const close = () => details.current?.removeAttribute('open');
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && !details.current?.contains(event.target)) close();
    };
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !details.current?.open) return;
      const hadFocus = details.current.contains(document.activeElement);
      close();
      if (hadFocus) details.current.querySelector('summary')?.focus();
    };
    document.addEventListener('pointerdown', closeOutside);
    document.addEventListener('focusin', closeOutside);
    document.addEventListener('keydown', closeOnEscape);
    return () => {
      document.removeEventListener('pointerdown', closeOutside);
      document.removeEventListener('focusin', closeOutside);
      document.removeEventListener('keydown', closeOnEscape);
    };
  }, [details]);
}

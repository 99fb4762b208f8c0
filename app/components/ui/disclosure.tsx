import { useLocation } from '@remix-run/react';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { buttonClass } from './button.tsx';
import { Icon } from './icon.tsx';

type DisclosureProps = {
  /** Content of the button. Parts of it may be hidden on small screens. */
  label: ReactNode;
  children: ReactNode;
};

/**
 * A button that opens a panel below it. It is a `<details>` element, so it works without scripts, and its `name` keeps at
 * most one panel open at a time. With scripts it also closes as a menu does.
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
      {/* A closed panel is not rendered: the names of the languages would load fonts of many scripts. */}
      <div className="animate-appear absolute end-4 top-full z-20 mt-2 hidden w-[min(21rem,calc(100vw-2rem))] rounded-card border border-line bg-surface p-2 shadow-raised group-open:block sm:end-0">
        {children}
      </div>
    </details>
  );
}

/** Closes the panel on Escape, on a click outside, when the focus leaves it, and on navigation. */
function useDismissal(details: RefObject<HTMLDetailsElement>) {
  const { key } = useLocation();
  const openedAt = useRef(key);

  useEffect(() => {
    // The first run must not close a panel that was opened before hydration.
    if (openedAt.current !== key) details.current?.removeAttribute('open');
    openedAt.current = key;
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

import { useLocation } from '@remix-run/react';
import { useEffect, useRef, useState } from 'react';

/**
 * Does after a client-side navigation what a browser does after a full load: moves the focus to the target of the hash or
 * the main heading, and announces the title to screen readers.
 */
export function RouteAnnouncer() {
  const { pathname, hash } = useLocation();
  const announcedPath = useRef(pathname);
  const [announcement, setAnnouncement] = useState('');

  useEffect(() => {
    if (announcedPath.current === pathname) return;
    announcedPath.current = pathname;
    setAnnouncement(document.title);
    const heading = document.querySelector<HTMLElement>('main h1');
    const target = document.getElementById(hash.slice(1)) ?? heading ?? document.querySelector('main');
    if (target && target.tabIndex < 0) target.tabIndex = -1;
    target?.focus({ preventScroll: true });
  }, [pathname, hash]);

  return (
    <p aria-live="polite" aria-atomic="true" className="sr-only">
      {announcement}
    </p>
  );
}

import { useLocation } from '@remix-run/react';
import { useEffect, useRef, useState } from 'react';

/**
 * After a client-side navigation does what a browser does after a full load: the focus goes to where the new page begins,
 * its main heading or what the hash names, and the title is said.
 */
export function RouteAnnouncer() {
  const { pathname, hash } = useLocation();
  const shown = useRef(pathname);
  const [announcement, setAnnouncement] = useState('');

  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    setAnnouncement(document.title);
    const heading = document.querySelector<HTMLElement>('main h1');
    const start = document.getElementById(hash.slice(1)) ?? heading ?? document.querySelector('main');
    if (start && start.tabIndex < 0) start.tabIndex = -1;
    start?.focus({ preventScroll: true });
  }, [pathname, hash]);

  return (
    <p aria-live="polite" aria-atomic="true" className="sr-only">
      {announcement}
    </p>
  );
}

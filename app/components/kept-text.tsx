import { useLocation } from '@remix-run/react';
import { useEffect } from 'react';
import { unsavedText } from '~/client/this-tab.ts';

/** Puts text back that was typed and not sent when the site had to leave the page that is shown again now. */
export function KeptText() {
  const { pathname } = useLocation();
  useEffect(() => unsavedText.watch(document), []);
  useEffect(() => unsavedText.restore(pathname, document), [pathname]);
  return null;
}

import { useLocation } from '@remix-run/react';
import { useEffect } from 'react';
import { earlyChoices } from '~/client/hydration/early-choices.ts';
import { unsavedText } from '~/client/tab-state/this-tab.ts';

/**
 * Puts text back that was typed and not sent when the site had to leave the page that is shown again now, and passes on
 * what was chosen while the client was on its way.
 */
export function KeptText() {
  const { pathname } = useLocation();
  useEffect(() => earlyChoices.tell(), []);
  useEffect(() => unsavedText.restore(pathname, document), [pathname]);
  return null;
}

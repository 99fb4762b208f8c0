import { useLocation } from '@remix-run/react';
import { useEffect } from 'react';
import { unsavedText } from '~/client/browser-services.ts';
import { earlySelections } from '~/client/hydration/early-selections.ts';
import { passEventsToReact } from '~/client/hydration/native-events.ts';

/** Restores unsaved text that the visitor typed in an earlier document, and selections made before hydration. */
export function RestoredInput() {
  const { pathname } = useLocation();
  useEffect(() => {
    passEventsToReact();
    earlySelections.replay();
  }, []);
  useEffect(() => unsavedText.restore(pathname, document), [pathname]);
  return null;
}

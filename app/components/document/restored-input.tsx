import { useLocation } from '@remix-run/react';
import { useEffect } from 'react';
import { unsavedText } from '~/client/browser-services.ts';
import { earlySelections } from '~/client/hydration/early-selections.ts';
import { moveForeignNodesBack } from '~/client/hydration/foreign-nodes.ts';
import { passEventsToReact } from '~/client/hydration/native-events.ts';

/**
 * Restores what hydration set aside: unsaved text that the visitor typed in an earlier document, selections made before
 * hydration, and the nodes of extensions.
 */
export function RestoredInput() {
  const { pathname } = useLocation();
  useEffect(() => {
    moveForeignNodesBack(document);
    passEventsToReact();
    earlySelections.replay();
  }, []);
  useEffect(() => unsavedText.restore(pathname, document), [pathname]);
  return null;
}

/**
 * The client's services in this tab, connected to the browser's APIs. Creating them has no effect until they are used.
 */
import { createDeployWatch } from './deployment/deploy-watch.ts';
import { createDocumentLoads, openDocument } from './deployment/document-loads.ts';
import { Draft } from './tab-state/draft.ts';
import { TabStorage } from './tab-state/tab-storage.ts';
import { createUnsavedText } from './tab-state/unsaved-text.ts';

const now = () => Date.now();
const fetch: typeof window.fetch = (input, init) => window.fetch(input, init);

/** The id of the build that rendered this document. */
export const buildId = () => window.__remixManifest.version;

export const tabStorage = new TabStorage(() => window.sessionStorage);

/**
 * The message that the visitor writes, during a visit to another page of the site, or sends, during a reload; and during a
 * sign-in.
 */
export const messageDraft = new Draft(tabStorage, 'message-draft');
export const signInDraft = new Draft(tabStorage, 'carried-text');

export const unsavedText = createUnsavedText({ storage: tabStorage, now });

export const documentLoads = createDocumentLoads({
  storage: tabStorage,
  now,
  currentAddress: () => window.location.href,
  open: (address) => openDocument(address),
  saveUnsavedText: () => unsavedText.save(window.location.pathname, document),
});

export const deployWatch = createDeployWatch({ buildId, fetch, now, events: () => window, isDataSaving });

/** Whether the browser is set to save data or the network is very slow. Only some browsers report this. */
export function isDataSaving(): boolean {
  // TypeScript's DOM types do not include the Network Information API.
  const { connection } = navigator as Navigator & {
    connection?: { saveData?: boolean; effectiveType?: string };
  };
  return connection?.saveData === true || connection?.effectiveType === 'slow-2g';
}

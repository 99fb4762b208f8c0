/** The one of each that this tab has, made of what the browser offers. Nothing happens until they are used. */
import { createDeployWatch } from '../deployment/deploy-watch.ts';
import { createDocumentLoads, openDocument } from '../deployment/document-loads.ts';
import { createPayloads } from '../navigation/payloads.ts';
import { createTabMemory } from './tab-memory.ts';
import { createUnsavedText } from './unsaved-text.ts';

const now = () => Date.now();
const fetch: typeof window.fetch = (input, init) => window.fetch(input, init);

/** The id of the build whose document this is. */
export const buildId = () => window.__remixManifest.version;

export const tabMemory = createTabMemory(() => window.sessionStorage);

export const unsavedText = createUnsavedText({ memory: tabMemory, now });

export const documentLoads = createDocumentLoads({
  memory: tabMemory,
  now,
  shown: () => window.location.href,
  open: (address) => openDocument(address),
  beforeLeaving: () => unsavedText.keep(window.location.pathname, document),
});

export const deployWatch = createDeployWatch({ buildId, fetch, now, events: () => window, isThrifty });

export const payloads = createPayloads({ buildId, fetch, onOtherBuild: () => deployWatch.markOutdated() });

/** Whether the visitor asked for few bytes, or has a network that gives few. Not every browser says. */
export function isThrifty(): boolean {
  const { connection } = navigator as Navigator & {
    connection?: { saveData?: boolean; effectiveType?: string };
  };
  return connection?.saveData === true || connection?.effectiveType === 'slow-2g';
}

/** The payloads of pages in this tab. The first view does without them, and without the list of pages that they need. */
import { buildId, deployWatch } from '../browser-services.ts';
import { createPayloads } from './payloads.ts';

export const payloads = createPayloads({
  buildId,
  fetch: (input, init) => window.fetch(input, init),
  onOtherBuild: () => deployWatch.markOutdated(),
});

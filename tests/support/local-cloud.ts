import { type LocalCloud, type LocalCloudOptions, startLocalCloud as start } from '@tenfold/local-cloud';
import { palette, readInfra } from '../../tools/cloud-sources.ts';

/** Starts a local cloud with the infrastructure and the colors of the site, unless `options` have others. */
export function startLocalCloud(options: Partial<LocalCloudOptions> = {}): Promise<LocalCloud> {
  return start({ infra: readInfra(), palette, ...options });
}

/** The built site together with a local cloud, both on free ports. */

import { type LocalCloud, startLocalCloud } from '../../local-cloud/start.ts';
import type { ClientKind } from '../../local-cloud/user-pool.ts';
import { learnSecret } from './secrets.ts';
import { freePort, type Site, startSite } from './site.ts';

export type Stack = { site: Site; cloud: LocalCloud; stop(): Promise<void> };

/** Starts both. `environment` is added to what the cloud tells the site. */
export async function startStack({
  client = 'rotating',
  environment = {},
}: {
  client?: ClientKind;
  environment?: Record<string, string>;
} = {}): Promise<Stack> {
  const port = await freePort();
  const cloud = await startLocalCloud({
    siteOrigins: [`http://localhost:${port}`],
    onSecret: learnSecret,
  });
  const site = await startSite(port, { ...cloud.environment({ client }), ...environment });
  return {
    site,
    cloud,
    async stop() {
      const code = await site.stop();
      await cloud.close();
      if (code !== 0) throw new Error(`The site ended with ${code}:\n${site.output()}`);
    },
  };
}

/** The newest code that was mailed to an address. */
export function mailedCode(cloud: LocalCloud, address: string): string {
  const mail = cloud.mails.find(({ to, code }) => to === address && code);
  if (!mail?.code) throw new Error(`No code was mailed to ${address}`);
  return mail.code;
}

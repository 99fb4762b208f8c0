/** The built site with SHARED_CACHE=on, a cache in front of it, and signed-in visitors. */
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { type LocalCloud, startLocalCloud } from '../../../packages/local-cloud/start.ts';
import { freePort, type Site, startSite } from '../processes/site.ts';
import { checkResponsesOf } from '../secrets/secret-checking-fetch.ts';
import { registerSecret } from '../secrets/secret-detection.ts';
import { signUpVisitor } from '../sign-in/site-visitor.ts';
import { memberEmail } from './same-page.ts';

/** A program in front of the site that listens on a port of this machine. */
export type CacheProcess = {
  /** That of https://localhost, if it listens with TLS. */
  certificate?: string;
  stop(): Promise<void>;
};

/** `plain` is for a cache that also listens without TLS. */
export type Ports = { cache: number; plain: number; site: number };

export type SiteBehindCache<Cache extends CacheProcess> = {
  cache: Cache;
  cloud: LocalCloud;
  /** The process of the site, which a test may stop and start again, also from another build. */
  site: Site;
  startAgain(directory?: string): Promise<void>;
  ports: Ports;
  origin: string;
  /** The `Host` of the site. */
  host: string;
  /** The Cookie headers of the visitors who are signed in. */
  members: readonly string[];
  stop(): Promise<void>;
};

/** Starts all. `startCache` starts the cache on its port, in front of the site's port. */
export async function startSiteBehindCache<Cache extends CacheProcess>(
  startCache: (ports: Ports) => Promise<Cache>,
  { scheme, memberCount = 3 }: { scheme: 'http' | 'https'; memberCount?: number },
): Promise<SiteBehindCache<Cache>> {
  const ports = { cache: await freePort(), plain: await freePort(), site: await freePort() };
  const host = `localhost:${ports.cache}`;
  const origin = `${scheme}://${host}`;
  checkResponsesOf(origin);
  const cloud = await startLocalCloud({ siteOrigins: [origin], onSecret: registerSecret });
  const start = (directory?: string) =>
    startSite(
      ports.site,
      {
        ...cloud.environment({ appOrigin: origin }),
        APP_ORIGIN: origin,
        LISTEN_HOST: '127.0.0.1',
        SHARED_CACHE: 'on',
        RATE_LIMIT_SCALE: '0',
      },
      directory,
    );
  const [site, cache] = await Promise.all([start(), startCache(ports)]);
  const started = {
    ...{ cache, cloud, site, ports, host, origin },
    members: await signUpMembers(origin, cache.certificate, cloud, memberCount),
    async startAgain(directory?: string) {
      started.site = await start(directory);
    },
    async stop() {
      await cache.stop();
      await started.site.stop();
      await cloud.close();
    },
  };
  return started;
}

async function signUpMembers(
  origin: string,
  certificate: string | undefined,
  cloud: LocalCloud,
  count: number,
): Promise<string[]> {
  const agent = certificate ? new TlsAgent({ ca: certificate }) : new Agent();
  const cookies: string[] = [];
  for (let index = 0; index < count; index++) {
    const member = await signUpVisitor({ site: { origin }, cloud }, agent, memberEmail(index));
    cookies.push(member.cookies.header());
  }
  agent.destroy();
  return cookies;
}

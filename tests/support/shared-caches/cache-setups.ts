/** The caches whose configurations the repository ships, as tests and measurements start them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasNginx, startNginx } from '../processes/nginx.ts';
import { hasVarnish, startVarnish } from '../processes/varnish.ts';
import { startCloudFront } from './cloudfront.ts';
import type { MixedRequest } from './mixed-requests.ts';
import { asCloudFrontReads, asNginxReads, asVarnishReads } from './same-page.ts';
import type { CacheProcess, Ports } from './site-behind-cache.ts';

/** A cache in front of the site. */
export type SharedCache = CacheProcess & {
  /** What docs/deployment.md says to do after a deployment. */
  purge(): void;
  /** Moves the clock of the cache by seconds. Throws if it has only that of the machine. */
  advance(seconds: number): void;
};

export type CacheSetup = {
  name: string;
  isInstalled: boolean;
  scheme: 'http' | 'https';
  /** The other form in which the cache may read a request. */
  reads(request: MixedRequest): MixedRequest;
  start(ports: Ports, clock: Clock): Promise<SharedCache>;
};

type Clock = { environment: Record<string, string>; now(): number; advance(seconds: number): void };

export const cacheSetups: readonly CacheSetup[] = [
  {
    name: 'Varnish',
    isInstalled: hasVarnish,
    scheme: 'http',
    reads: asVarnishReads,
    async start({ cache, site }, { environment, advance }) {
      const varnish = await startVarnish({ port: cache, sitePort: site }, environment);
      return {
        ...varnish,
        advance,
        purge: () => void varnish.admin('ban', 'obj.http.CDN-Cache-Control ~ .'),
      };
    },
  },
  {
    name: 'nginx',
    isInstalled: hasNginx,
    scheme: 'https',
    reads: asNginxReads,
    async start({ cache, plain, site }, { environment, advance }) {
      const nginx = await startNginx({ https: cache, http: plain, site }, environment);
      const purge = () => void execFileSync('find', [nginx.cacheFolder, '-type', 'f', '-delete']);
      return { ...nginx, advance, purge };
    },
  },
  {
    name: 'CloudFront',
    isInstalled: true,
    scheme: 'http',
    reads: asCloudFrontReads,
    async start({ cache, site }, { now, advance }) {
      const cloudFront = await startCloudFront({ port: cache, sitePort: site }, now);
      return { ...cloudFront, advance, purge: cloudFront.invalidate };
    },
  },
];

/** The clock of the machine. */
export const systemClock: Clock = {
  environment: {},
  now: Date.now,
  advance() {
    throw new Error('This clock cannot be advanced.');
  },
};

/** Starts a cache with a clock that can be advanced. That of a program needs a C compiler, as Varnish itself does. */
export async function startWithClock(setup: CacheSetup, ports: Ports): Promise<SharedCache> {
  const folder = mkdtempSync(join(tmpdir(), 'clock-'));
  const [file, library] = [join(folder, 'offset'), join(folder, 'clock.so')];
  let offset = 0;
  // The program reads the bytes of the file that exists when it starts.
  const write = () => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(offset));
    writeFileSync(file, bytes, { flag: existsSync(file) ? 'r+' : 'w' });
  };
  write();
  execFileSync('cc', [
    '-shared',
    '-fPIC',
    '-O2',
    '-o',
    library,
    'tests/support/shared-caches/advanced-clock.c',
  ]);
  const cache = await setup.start(ports, {
    environment: { LD_PRELOAD: library, CLOCK_OFFSET: file },
    now: () => Date.now() + offset * 1000,
    advance(seconds) {
      offset += seconds;
      write();
    },
  });
  return {
    ...cache,
    async stop() {
      await cache.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

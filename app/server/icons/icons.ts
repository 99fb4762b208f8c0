/** Icons by name: from installed collections, otherwise from the configured icon API through a cache. */
import type { IconifyIcon, IconifyJSON } from '@iconify/types';
import { LRUCache } from 'lru-cache';
import { type Schedule, scheduleTimeout } from '../../icons/host-race.ts';
import { createIconLoader, type LoadedIcon } from '../../icons/icon-loader.ts';
import { parseIconId } from '../../icons/icon-request.ts';
import type { Env } from '../config/env.ts';
import type { Log } from '../observability/log.ts';
import { type Metrics, noMetrics } from '../observability/metrics.ts';
import { CallController } from '../resilience/call-signal.ts';
import { createCircuitBreaker } from '../resilience/circuit-breaker.ts';
import type { Clock } from '../resilience/clock.ts';
import { ConcurrencyLimit } from '../resilience/concurrency-limit.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import { createIconApiClient } from './icon-api.ts';
import { createInstalledIcons } from './installed-icons.ts';

export type Icons = {
  /**
   * The named icons of a collection, without unknown names. Null when the collection is unknown. Rejects with an
   * `UpstreamError` of the service `icon-api` when no host responds, after at most 4.5 seconds, or when too many lookups
   * are in progress.
   */
  collection(name: string, names: readonly string[]): Promise<IconifyJSON | null>;
  /** The icon with this id if it is installed or cached; never calls the icon API. */
  find(id: string): IconifyIcon | null;
  /** The icon with this id from any source. Never rejects. */
  load(id: string): Promise<LoadedIcon>;
};

export type IconsDeps = {
  env: Pick<Env, 'iconApiHosts'>;
  clock: Clock;
  log: Log;
  metrics?: Pick<Metrics, 'shed'>;
  schedule?: Schedule;
};

/** The build's copies of the installed collections, relative to the working directory. */
const BUILT_COLLECTIONS = 'build/server/icons';

const HOUR = 60 * 60 * 1000;
const CACHE_TTL_MS = 7 * 24 * HOUR;
/** Shorter, because the next release of a collection may contain the icon. */
const MISSING_CACHE_TTL_MS = HOUR;
const MAX_CACHED_ICONS = 5000;
const MAX_CACHED_CHARACTERS = 4 * 1024 * 1024;
/** With three hosts at intervals of 750 ms, a lookup ends within 4.5 s; clients of this site wait for 5 s. */
const LAST_HOST_TIMEOUT_MS = 2250;
/** Lookups for visitors. Each sends a few requests to one host after the other. */
const LIMIT = { maxConcurrent: 16, maxQueued: 16 };

/** Creates the icons of this process. */
export function createIcons({
  env,
  clock,
  log,
  metrics = noMetrics,
  schedule = scheduleTimeout,
}: IconsDeps): Icons {
  const installed = createInstalledIcons(import.meta.env.PROD ? BUILT_COLLECTIONS : null);
  const cache = createIconCache(clock);
  const hosts = env.iconApiHosts;
  const loaderOptions = { hosts, memory: cache, schedule, giveUpMs: LAST_HOST_TIMEOUT_MS };
  const limit = new ConcurrencyLimit({ ...LIMIT, service: 'icon-api', metrics });
  const loader = createIconLoader({ ...loaderOptions, fetchIcons: createIconApiClient() });
  const breaker = createCircuitBreaker({ service: 'icon-api', clock, log });
  const loadAll = (ids: readonly string[]) =>
    limit.run(new CallController(), () => breaker.run(() => loadOrThrow(ids, loader.load)));
  const hasHosts = hosts.length > 0;

  const find = (id: string): IconifyIcon | null => {
    const cached = cache.get(id);
    if (cached) return cached.state === 'loaded' ? cached.icon : null;
    const parsed = parseIconId(id);
    return parsed && installed.find(parsed);
  };

  return {
    find,
    async collection(name, names) {
      const subset = installed.subset(name, names);
      if (subset || !hasHosts) return subset;
      const ids = names.map((icon) => `${name}:${icon}`);
      const cached = ids.flatMap((id) => cache.get(id) ?? []);
      return toCollection(name, names, cached.length === ids.length ? cached : await loadAll(ids));
    },
    async load(id) {
      const icon = find(id);
      if (icon) return { state: 'loaded', icon };
      const parsed = parseIconId(id);
      if (!parsed || !hasHosts || installed.subset(parsed.collection, [])) return { state: 'missing' };
      try {
        const [loaded] = await loadAll([id]);
        return loaded ?? { state: 'missing' };
      } catch (error) {
        return toFailedIcon(error);
      }
    },
  };
}

/** Uses the clock of the server instead of `performance.now`, so that tests can make entries expire. */
function createIconCache(clock: Clock) {
  const cache = new LRUCache<string, LoadedIcon>({
    max: MAX_CACHED_ICONS,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (icon, id) => id.length + (icon.state === 'loaded' ? icon.icon.body.length : 1),
    ttl: CACHE_TTL_MS,
    ttlResolution: 0,
    perf: { now: clock },
  });
  return {
    get: (id: string) => cache.get(id),
    set: (id: string, icon: LoadedIcon) =>
      cache.set(id, icon, { ttl: icon.state === 'loaded' ? CACHE_TTL_MS : MISSING_CACHE_TTL_MS }),
  };
}

/** Loads all icons. Rejects with `UpstreamError` when one of them fails, so that the circuit breaker counts it. */
async function loadOrThrow(
  ids: readonly string[],
  load: (id: string) => Promise<LoadedIcon>,
): Promise<LoadedIcon[]> {
  const loaded = await Promise.all(ids.map((id) => load(id)));
  const failed = loaded.find((icon) => icon.state === 'failed');
  if (failed?.state === 'failed') {
    const code = failed.reason === 'timed-out' ? 'TimeoutError' : 'NetworkError';
    throw new UpstreamError('icon-api', code, 'No host of the icon API sent a valid response.');
  }
  return loaded;
}

function toFailedIcon(error: unknown): LoadedIcon {
  const hasTimedOut = error instanceof UpstreamError && error.code === 'TimeoutError';
  return { state: 'failed', reason: hasTimedOut ? 'timed-out' : 'unavailable' };
}

function toCollection(
  prefix: string,
  names: readonly string[],
  loaded: readonly LoadedIcon[],
): IconifyJSON | null {
  if (loaded.some((icon) => icon.state === 'unknown-collection')) return null;
  const icons = names.flatMap((name, index) => {
    const icon = loaded[index];
    return icon?.state === 'loaded' ? [[name, icon.icon] as const] : [];
  });
  return { prefix, icons: Object.fromEntries(icons) };
}

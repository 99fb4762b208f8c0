/** Every icon that the site can draw: installed collections first, then the public icon API, kept while there is room. */
import type { IconifyIcon, IconifyJSON } from '@iconify/types';
import { LRUCache } from 'lru-cache';
import { type Schedule, scheduleTimeout } from '../../icons/host-race.ts';
import { createIconLoader, type LoadedIcon } from '../../icons/icon-loader.ts';
import { parseIconId } from '../../icons/icon-request.ts';
import type { Env } from '../config/env.ts';
import type { Log } from '../observability/log.ts';
import { createCircuitBreaker } from '../resilience/circuit-breaker.ts';
import type { Clock } from '../resilience/clock.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import { createAskIconApi } from './icon-api.ts';
import { createInstalledIcons } from './installed-icons.ts';

export type Icons = {
  /**
   * The named icons of a collection; those it does not have are left out. Null where nobody knows the collection.
   * Rejects with an `UpstreamError` of `icon-api` when no host answered, after 4.5 seconds at the latest.
   */
  collection(name: string, names: readonly string[]): Promise<IconifyJSON | null>;
  /** An icon by its full name, if it is at hand without waiting. */
  find(id: string): IconifyIcon | null;
  /** An icon by its full name, wherever it comes from. Never rejects. */
  load(id: string): Promise<LoadedIcon>;
};

type Options = { env: Pick<Env, 'iconApiHosts'>; clock: Clock; log: Log; schedule?: Schedule };

/** The build's copies of the installed collections, relative to the working directory. */
const BUILT_COLLECTIONS = 'build/server/icons';

const HOUR = 60 * 60 * 1000;
const KEPT_MS = 7 * 24 * HOUR;
/** A name that is missing today may be an icon of the next release. */
const MISSING_KEPT_MS = HOUR;
const MAX_KEPT_ICONS = 5000;
const MAX_KEPT_CHARACTERS = 4 * 1024 * 1024;
/** With three hosts: 3 x 750 ms and this come to less than what whoever waits for us puts up with (5 s). */
const GIVE_UP_MS = 2250;

/** The icons of one process. */
export function createIcons({ env, clock, log, schedule = scheduleTimeout }: Options): Icons {
  const installed = createInstalledIcons(import.meta.env.PROD ? BUILT_COLLECTIONS : null);
  const memory = createMemory(clock);
  const loader = createIconLoader({
    hosts: env.iconApiHosts,
    fetchIcons: createAskIconApi(),
    memory,
    schedule,
    giveUpMs: GIVE_UP_MS,
  });
  const breaker = createCircuitBreaker({ service: 'icon-api', clock, log });
  const find = (id: string): IconifyIcon | null => {
    const kept = memory.get(id);
    if (kept) return kept.state === 'loaded' ? kept.icon : null;
    const parsed = parseIconId(id);
    return parsed && installed.find(parsed);
  };

  return {
    find,
    async collection(name, names) {
      const subset = installed.subset(name, names);
      if (subset || env.iconApiHosts.length === 0) return subset;
      const ids = names.map((icon) => `${name}:${icon}`);
      const known = ids.flatMap((id) => memory.get(id) ?? []);
      const loaded =
        known.length === ids.length ? known : await breaker.run(async () => loadAll(ids, loader.load));
      return toCollection(name, names, loaded);
    },
    async load(id) {
      const icon = find(id);
      if (icon) return { state: 'loaded', icon };
      const parsed = parseIconId(id);
      const isElsewhere = parsed && !installed.subset(parsed.collection, []) && env.iconApiHosts.length > 0;
      if (!isElsewhere) return { state: 'missing' };
      return breaker
        .run(async () => (await loadAll([id], loader.load))[0] ?? { state: 'missing' as const })
        .catch(failureOf);
    },
  };
}

function createMemory(clock: Clock) {
  const cache = new LRUCache<string, LoadedIcon>({
    max: MAX_KEPT_ICONS,
    maxSize: MAX_KEPT_CHARACTERS,
    sizeCalculation: (icon, id) => id.length + (icon.state === 'loaded' ? icon.icon.body.length : 1),
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: { now: clock },
  });
  return {
    get: (id: string) => cache.get(id),
    set: (id: string, icon: LoadedIcon) =>
      cache.set(id, icon, { ttl: icon.state === 'loaded' ? KEPT_MS : MISSING_KEPT_MS }),
  };
}

async function loadAll(
  ids: readonly string[],
  load: (id: string) => Promise<LoadedIcon>,
): Promise<LoadedIcon[]> {
  const loaded = await Promise.all(ids.map((id) => load(id)));
  const failed = loaded.find((icon) => icon.state === 'failed');
  if (failed?.state === 'failed') {
    const code = failed.reason === 'timed-out' ? 'TimeoutError' : 'NetworkError';
    throw new UpstreamError('icon-api', code, 'No host of the icon API gave an answer that can be used.');
  }
  return loaded;
}

function failureOf(error: unknown): LoadedIcon {
  const isTimeout = error instanceof UpstreamError && error.code === 'TimeoutError';
  return { state: 'failed', reason: isTimeout ? 'timed-out' : 'unavailable' };
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

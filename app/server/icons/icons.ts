/** Icons by name: from installed collections, otherwise from the configured icon API through a cache. */
import type { IconifyIcon, IconifyJSON } from '@iconify/types';
import { getIconData } from '@iconify/utils/lib/icon-set/get-icon';
import type { Log } from '@tenfold/site-server';
import { type Clock, ConcurrencyLimit, createCircuitBreaker } from '@tenfold/upstream';
import type { Env } from '../config/env.ts';
import { type Metrics, noMetrics } from '../metrics/metrics.ts';
import { type ApiIcon, ApiIcons } from './api-icons.ts';
import { type Schedule, scheduleTimeout } from './host-race.ts';
import { parseIconId } from './icon-names.ts';
import { createInstalledIcons, withoutInheritedKeys } from './installed-icons.ts';

/** Icons by full name (`lucide:globe`). */
export type PreparedIcons = Readonly<Record<string, IconifyIcon>>;

export type Icons = {
  /**
   * The named icons of a collection, without unknown names. Null when the collection is unknown. Rejects with an
   * `UpstreamError` of the service `icon-api` when no host responds, after at most 4.5 seconds, or when too many lookups
   * are in progress.
   */
  collection(name: string, names: readonly string[]): Promise<IconifyJSON | null>;
  /**
   * The icons with these full names, for a loader whose page shows them with `DynamicIcon`. Never rejects, and takes at
   * most 1500 ms. An icon that does not exist or did not load is logged and left out.
   */
  prepare(ids: readonly string[]): Promise<PreparedIcons>;
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

/** With three hosts at intervals of 750 ms, a lookup ends within 4.5 s; clients of this site wait for 5 s. */
const LAST_HOST_TIMEOUT_MS = 2250;
const PREPARE_TIMEOUT_MS = 1500;
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
  const hosts = env.iconApiHosts;
  const installed = createInstalledIcons(import.meta.env.PROD ? BUILT_COLLECTIONS : null);
  const api = new ApiIcons({ hosts, schedule, giveUpMs: LAST_HOST_TIMEOUT_MS }, clock);
  const limit = new ConcurrencyLimit({ ...LIMIT, service: 'icon-api', metrics });
  const breaker = createCircuitBreaker({ service: 'icon-api', clock, log });

  const collection = async (name: string, names: readonly string[]): Promise<IconifyJSON | null> => {
    const subset = installed.subset(name, names);
    if (subset || hosts.length === 0) return subset;
    const load = () => breaker.run(() => api.load(name, names));
    const icons = api.cached(name, names) ?? (await limit.run(new AbortController().signal, load));
    return toCollection(name, names, icons);
  };

  const load = async (id: string): Promise<IconifyIcon | null> => {
    const parsed = parseIconId(id);
    const found = parsed && (await collection(parsed.collection, [parsed.name]).catch(() => null));
    return found && getIconData(withoutInheritedKeys(found), parsed.name);
  };

  const prepareOne = async (id: string): Promise<[string, IconifyIcon][]> => {
    const icon = await withinTime(load(id), schedule);
    if (icon) return [[id, icon]];
    const name = `\`${id.slice(0, 200)}\``;
    log.warn(
      icon === null
        ? `[Icon] failed to load icon ${name}`
        : `[Icon] loading icon ${name} timed out after ${PREPARE_TIMEOUT_MS}ms`,
    );
    return [];
  };

  return {
    collection,
    prepare: async (ids) => Object.fromEntries((await Promise.all(ids.map(prepareOne))).flat()),
  };
}

function toCollection(
  prefix: string,
  names: readonly string[],
  found: readonly ApiIcon[],
): IconifyJSON | null {
  if (found.includes('unknown-collection')) return null;
  const icons = names.flatMap((name, index) => {
    const icon = found[index];
    return typeof icon === 'object' ? [[name, icon] as const] : [];
  });
  return { prefix, icons: Object.fromEntries(icons) };
}

function withinTime<T>(promise: Promise<T>, schedule: Schedule): Promise<T | undefined> {
  return new Promise((resolve) => {
    const cancel = schedule(() => resolve(undefined), PREPARE_TIMEOUT_MS);
    void promise.then(resolve).finally(cancel);
  });
}

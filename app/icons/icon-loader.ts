/**
 * Loads icons that are not in the build, with as few requests as possible. The browser and the server use the same
 * loader, each with its own hosts, memory and fetch function.
 */
import type { IconifyIcon } from '@iconify/types';
import {
  createHostRace,
  type FailureReason,
  type RaceOptions,
  type RaceOutcome,
  scheduleTimeout,
} from './host-race.ts';
import { batchNames, type IconId, iconAddress, parseIconId } from './icon-request.ts';

export type Icons = Readonly<Record<string, IconifyIcon>>;

/** `missing`: the name is invalid, or the collection has no such icon. Only a `failed` icon is requested again. */
export type LoadedIcon =
  | { state: 'loaded'; icon: IconifyIcon }
  | { state: 'missing' | 'unknown-collection' }
  | { state: 'failed'; reason: FailureReason };

export type IconLoader = {
  /**
   * The icon with this full name. Never rejects. Names requested in the same tick share one request. Loaded and missing
   * icons are cached. `onLate` receives an icon that arrives after the promise was resolved as failed.
   */
  load(id: string, onLate?: (icon: IconifyIcon) => void): Promise<LoadedIcon>;
};

export type IconLoaderOptions = RaceOptions & {
  /**
   * Fetches icons of a collection, by name. Returns null if the host responds 404. Rejects on every other failure, also
   * if the response is not the JSON of a collection.
   */
  fetchIcons(address: string, collection: string, signal: AbortSignal): Promise<Icons | null>;
  /** The cached icons by full name: a `Map`, or a cache with a limit. */
  memory: {
    get(id: string): LoadedIcon | undefined;
    set(id: string, icon: LoadedIcon): unknown;
  };
};

type PendingIcon = IconId & {
  promise: Promise<LoadedIcon>;
  resolve(icon: LoadedIcon): void;
  lateListeners: ((icon: IconifyIcon) => void)[];
};

/** A loader for `hosts`, which are addresses to which `/{collection}.json` is added. */
export function createIconLoader(options: IconLoaderOptions): IconLoader {
  const { hosts, fetchIcons, memory, schedule = scheduleTimeout } = options;
  const race = createHostRace(options);
  const pending = new Map<string, PendingIcon>();
  let nextTick: PendingIcon[] = [];

  const settle = (id: string, icon: LoadedIcon) => {
    if (icon.state !== 'failed') memory.set(id, icon);
    pending.get(id)?.resolve(icon);
    pending.delete(id);
  };
  const request = async (collection: string, names: readonly string[]) => {
    const requested = names.flatMap((name) => pending.get(`${collection}:${name}`) ?? []);
    const outcome = await race.run(
      (host, signal) => fetchIcons(iconAddress(host, collection, names), collection, signal),
      (icons: Icons) => deliverLate(icons, requested, memory),
    );
    for (const { name } of requested) settle(`${collection}:${name}`, loadedIcon(outcome, name));
  };
  const flush = () => {
    const batches = batchesOf(nextTick, hosts);
    nextTick = [];
    for (const { collection, names } of batches) void request(collection, names);
  };
  return {
    load(id, onLate) {
      const cached = memory.get(id);
      if (cached) return Promise.resolve(cached);
      const parsed = parseIconId(id);
      if (!parsed) return Promise.resolve({ state: 'missing' });
      const icon = pending.get(id) ?? createPendingIcon(parsed);
      if (onLate) icon.lateListeners.push(onLate);
      if (pending.has(id)) return icon.promise;
      pending.set(id, icon);
      if (nextTick.length === 0) schedule(flush, 0);
      nextTick.push(icon);
      return icon.promise;
    },
  };
}

function createPendingIcon(id: IconId): PendingIcon {
  let resolve: PendingIcon['resolve'] = () => {};
  const promise = new Promise<LoadedIcon>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { ...id, promise, resolve, lateListeners: [] };
}

/** The requests for these icons: one per collection, or more if the address would be too long. */
function batchesOf(icons: readonly IconId[], hosts: readonly string[]) {
  const collections = new Set(icons.map(({ collection }) => collection));
  return [...collections].flatMap((collection) => {
    const names = icons.filter((icon) => icon.collection === collection).map(({ name }) => name);
    return batchNames(collection, names, hosts).map((batch) => ({ collection, names: batch }));
  });
}

function loadedIcon(outcome: RaceOutcome<Icons>, name: string): LoadedIcon {
  if (outcome.state === 'not-found') return { state: 'unknown-collection' };
  if (outcome.state === 'failed') return outcome;
  return findIcon(outcome.value, name);
}

function deliverLate(
  icons: Icons,
  requested: readonly PendingIcon[],
  memory: Pick<IconLoaderOptions['memory'], 'set'>,
): void {
  for (const { collection, name, lateListeners } of requested) {
    const found = findIcon(icons, name);
    memory.set(`${collection}:${name}`, found);
    if (found.state === 'loaded') for (const listener of lateListeners) listener(found.icon);
  }
}

/** Only own properties count, because every object has a `constructor`. */
function findIcon(icons: Icons, name: string): LoadedIcon {
  const icon = Object.hasOwn(icons, name) ? icons[name] : undefined;
  return icon ? { state: 'loaded', icon } : { state: 'missing' };
}

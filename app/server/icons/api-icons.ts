/** The icons of an icon API, with a cache and as few requests as possible. */
import type { IconifyIcon } from '@iconify/types';
import type { Clock } from '@tenfold/upstream';
import { LRUCache } from 'lru-cache';
import { HostRace, type RaceOptions } from './host-race.ts';
import { createIconApiClient, type Icons } from './icon-api.ts';
import { batchNames, iconPath } from './icon-names.ts';

export type ApiIcon = IconifyIcon | 'missing' | 'unknown-collection';

/** The names of one collection that the next request asks for, and its response by name. */
type Batch = { names: Set<string>; icons: Promise<ReadonlyMap<string, ApiIcon>> };

const HOUR = 60 * 60 * 1000;
const CACHE_TTL_MS = 7 * 24 * HOUR;
/** Shorter, because the next release of a collection may contain the icon. */
const MISSING_CACHE_TTL_MS = HOUR;
const MAX_CACHED_ICONS = 5000;
const MAX_CACHED_CHARACTERS = 4 * 1024 * 1024;

export class ApiIcons {
  readonly #fetchIcons = createIconApiClient();
  readonly #race: HostRace;
  readonly #cache: LRUCache<string, ApiIcon>;
  readonly #loading = new Map<string, Promise<ApiIcon>>();
  readonly #batches = new Map<string, Batch>();

  constructor(
    private readonly options: RaceOptions,
    clock: Clock,
  ) {
    this.#race = new HostRace(options);
    this.#cache = new LRUCache({
      max: MAX_CACHED_ICONS,
      maxSize: MAX_CACHED_CHARACTERS,
      sizeCalculation: (icon, id) => id.length + (typeof icon === 'string' ? 1 : icon.body.length),
      ttlResolution: 0,
      // The clock of the server instead of `performance.now`, so that tests can make entries expire.
      perf: { now: clock },
    });
  }

  /** The icons with these names, or null if one of them is not in the cache. */
  cached(collection: string, names: readonly string[]): ApiIcon[] | null {
    const icons = names.flatMap((name) => this.#cache.get(`${collection}:${name}`) ?? []);
    return icons.length === names.length ? icons : null;
  }

  /**
   * The icons with these names. Names requested in the same tick share a request. Rejects with an `UpstreamError` if one
   * of them cannot be loaded, which the next call tries again.
   */
  load(collection: string, names: readonly string[]): Promise<ApiIcon[]> {
    return Promise.all(names.map((name) => this.#loadOne(collection, name)));
  }

  #loadOne(collection: string, name: string): Promise<ApiIcon> {
    const id = `${collection}:${name}`;
    const known = this.#cache.get(id) ?? this.#loading.get(id);
    if (known) return Promise.resolve(known);
    const batch = this.#batches.get(collection) ?? this.#openBatch(collection);
    batch.names.add(name);
    const loading = batch.icons
      .then((icons) => icons.get(name) ?? 'missing')
      .finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  #openBatch(collection: string): Batch {
    const names = new Set<string>();
    const endOfTick = new Promise<void>((resolve) => this.options.schedule(resolve, 0));
    const batch = { names, icons: endOfTick.then(() => this.#request(collection, names)) };
    this.#batches.set(collection, batch);
    return batch;
  }

  async #request(collection: string, names: ReadonlySet<string>): Promise<Map<string, ApiIcon>> {
    this.#batches.delete(collection);
    const hostLength = Math.max(...this.options.hosts.map(({ length }) => length));
    const requests = batchNames(collection, names, hostLength).map(async (batch) => {
      const path = iconPath(collection, batch);
      const remember = (icons: Icons | null) =>
        batch.map((name) => [name, this.#remember(`${collection}:${name}`, findIcon(icons, name))] as const);
      return remember(
        await this.#race.run((host, signal) => this.#fetchIcons(host + path, collection, signal), remember),
      );
    });
    return new Map((await Promise.all(requests)).flat());
  }

  #remember(id: string, icon: ApiIcon): ApiIcon {
    this.#cache.set(id, icon, { ttl: typeof icon === 'string' ? MISSING_CACHE_TTL_MS : CACHE_TTL_MS });
    return icon;
  }
}

/** Only own properties count, because every object has a `constructor`. */
function findIcon(icons: Icons | null, name: string): ApiIcon {
  if (icons === null) return 'unknown-collection';
  return (Object.hasOwn(icons, name) && icons[name]) || 'missing';
}

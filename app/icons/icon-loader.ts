/**
 * Loads icons that the build does not know, the fewest possible requests for the most possible names. The browser and
 * the server run the same loader, each with hosts, memory and a way to ask of its own.
 */
import type { IconifyIcon } from '@iconify/types';
import { createHostRace, type RaceOptions, type RaceOutcome, scheduleTimeout } from './host-race.ts';
import { type IconId, parseIconId } from './icon-name.ts';
import { iconAddress, partNames } from './icon-request.ts';

export type Icons = Readonly<Record<string, IconifyIcon>>;

/** `missing`: the name breaks the rule, or its collection has no such icon. A failure may be over at the next try. */
export type LoadedIcon =
  | { state: 'loaded'; icon: IconifyIcon }
  | { state: 'missing' | 'unknown-collection' }
  | { state: 'failed'; reason: 'refused' | 'timed-out' };

export type IconLoader = {
  /**
   * The icon with this full name. Never rejects. Names asked for in the same tick go out together, sorted, each once;
   * what was loaded and what is missing is remembered. `onLate` gets an icon that arrives after the loader gave up.
   */
  load(id: string, onLate?: (icon: IconifyIcon) => void): Promise<LoadedIcon>;
};

export type IconLoaderOptions = RaceOptions & {
  /**
   * Asks one address: the icons of a collection by name, or null where the host answers 404. Rejects for everything
   * else, also for what is not the JSON of a collection.
   */
  ask(address: string, collection: string, signal: AbortSignal): Promise<Icons | null>;
  /** By full name. A `Map`, or something with less room. */
  memory: {
    get(id: string): LoadedIcon | undefined;
    set(id: string, icon: LoadedIcon): unknown;
  };
};

type Waiting = IconId & {
  promise: Promise<LoadedIcon>;
  resolve(icon: LoadedIcon): void;
  late: ((icon: IconifyIcon) => void)[];
};

/** A loader over `hosts`, each an origin and path that `/{collection}.json` is added to. */
export function createIconLoader(options: IconLoaderOptions): IconLoader {
  const { hosts, ask, memory, schedule = scheduleTimeout } = options;
  const race = createHostRace(options);
  const waiting = new Map<string, Waiting>();
  let nextTick = new Set<string>();

  const remember = (id: string, icon: LoadedIcon) => {
    if (icon.state !== 'failed') memory.set(id, icon);
    waiting.get(id)?.resolve(icon);
    waiting.delete(id);
  };

  const request = async (collection: string, names: readonly string[]) => {
    const asked = names.flatMap((name) => waiting.get(`${collection}:${name}`) ?? []);
    const outcome = await race.run(
      (host, signal) => ask(iconAddress(host, collection, names), collection, signal),
      (icons: Icons) => deliverLate(icons, asked, memory),
    );
    for (const { name } of asked) remember(`${collection}:${name}`, pick(outcome, name));
  };

  const flush = () => {
    const asked = [...nextTick].flatMap((id) => waiting.get(id) ?? []);
    nextTick = new Set();
    for (const collection of new Set(asked.map((icon) => icon.collection))) {
      const names = asked.filter((icon) => icon.collection === collection).map(({ name }) => name);
      for (const part of partNames(collection, names, hosts)) void request(collection, part);
    }
  };

  return {
    load(id, onLate) {
      const known = memory.get(id);
      if (known) return Promise.resolve(known);
      const parsed = parseIconId(id);
      if (!parsed) return Promise.resolve({ state: 'missing' });
      const icon = waiting.get(id) ?? createWaiting(parsed);
      if (onLate) icon.late.push(onLate);
      if (!waiting.has(id)) {
        waiting.set(id, icon);
        if (nextTick.size === 0) schedule(flush, 0);
        nextTick.add(id);
      }
      return icon.promise;
    },
  };
}

function createWaiting(id: IconId): Waiting {
  let resolve: Waiting['resolve'] = () => {};
  const promise = new Promise<LoadedIcon>((settle) => {
    resolve = settle;
  });
  return { ...id, promise, resolve, late: [] };
}

function pick(outcome: RaceOutcome<Icons>, name: string): LoadedIcon {
  if (outcome.state === 'not-found') return { state: 'unknown-collection' };
  if (outcome.state === 'failed') return outcome;
  return iconOf(outcome.value, name);
}

function deliverLate(
  icons: Icons,
  asked: readonly Waiting[],
  memory: Pick<IconLoaderOptions['memory'], 'set'>,
): void {
  for (const { collection, name, late } of asked) {
    const found = iconOf(icons, name);
    memory.set(`${collection}:${name}`, found);
    if (found.state === 'loaded') for (const listener of late) listener(found.icon);
  }
}

/** A name such as `constructor` is no icon, although every object has it. */
function iconOf(icons: Icons, name: string): LoadedIcon {
  const icon = Object.hasOwn(icons, name) ? icons[name] : undefined;
  return icon ? { state: 'loaded', icon } : { state: 'missing' };
}

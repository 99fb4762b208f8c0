/** Notices when the site has been deployed anew while this page was open. */

const HOUR = 3_600_000;
/** Focus comes and goes with every glance at another window. */
const MIN_PAUSE = 60_000;
const WARM_UP = 1000;

export type DeployWatch = {
  isOutdated(): boolean;
  /** Called once, when the page turns out to be of another build than the site. Gives the way to stop listening. */
  subscribe(listener: () => void): () => void;
  /** For whoever has met another build. */
  markOutdated(): void;
  /** Begins to watch; gives the way to end it. */
  start(): () => void;
};

export type DeployWatchOptions = {
  buildId: () => string;
  fetch: (address: string, init?: RequestInit) => Promise<Response>;
  now: () => number;
  /** Where `focus` and `online` are told. */
  events: () => Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;
  /** Whether nothing should be loaded that was not asked for. */
  isThrifty: () => boolean;
  /** Milliseconds between two looks. */
  interval?: number;
};

/**
 * Looks at `latest.json` every `interval`, and when the window gets the focus or the network is back. What cannot be
 * read says nothing; a different id, or a site that no longer knows this build, makes the page outdated for good.
 */
export function createDeployWatch(options: DeployWatchOptions): DeployWatch {
  const { buildId, fetch, now, events, isThrifty, interval = HOUR } = options;
  const listeners = new Set<() => void>();
  let outdated = false;
  let stop = () => {};

  const markOutdated = () => {
    if (outdated) return;
    outdated = true;
    stop();
    for (const listener of listeners) listener();
  };
  const readLatest = async () => {
    const response = await fetch(`/builds/latest.json?${now()}`, { priority: 'low' });
    const latest: unknown = response.ok ? await response.json() : null;
    const isOther = hasId(latest) && latest.id !== buildId();
    if (isOther) markOutdated();
  };
  const warmUp = async () => {
    const { status } = await fetch(`/builds/meta/${buildId()}.json`, { priority: 'low' });
    if (status === 404) markOutdated();
  };

  return {
    isOutdated: () => outdated,
    markOutdated,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    start() {
      let lookedAt = now();
      let timer: ReturnType<typeof setTimeout>;
      const look = () => {
        lookedAt = now();
        clearTimeout(timer);
        timer = setTimeout(look, interval);
        readLatest().catch(ignore);
      };
      const lookAgain = () => {
        if (now() - lookedAt >= MIN_PAUSE) look();
      };
      timer = setTimeout(look, interval);
      const warming = isThrifty() ? undefined : setTimeout(() => warmUp().catch(ignore), WARM_UP);
      const target = events();
      for (const type of ['focus', 'online']) target.addEventListener(type, lookAgain);
      stop = () => {
        clearTimeout(timer);
        clearTimeout(warming);
        for (const type of ['focus', 'online']) target.removeEventListener(type, lookAgain);
      };
      return stop;
    },
  };
}

function hasId(value: unknown): value is { id: string } {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string';
}

/** No network, or a proxy's page in place of JSON: the next look will tell. */
function ignore() {}

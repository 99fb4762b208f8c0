/** Detects that a new build of the site was deployed while this page was open. */

const HOUR_MS = 3_600_000;
/** Minimum time between two checks, because windows gain and lose the focus often. */
const MIN_PAUSE_MS = 60_000;
const WARM_UP_DELAY_MS = 1000;

export type DeployWatch = {
  isOutdated(): boolean;
  /** Calls `listener` once, when the page becomes outdated. Returns a function that removes the listener. */
  subscribe(listener: () => void): () => void;
  /** Reports that the server runs another build. */
  markOutdated(): void;
  /** Starts the checks. Returns a function that stops them. */
  start(): () => void;
};

export type DeployWatchOptions = {
  buildId: () => string;
  fetch: (address: string, init?: RequestInit) => Promise<Response>;
  now: () => number;
  /** The target of the events `focus` and `online`. */
  events: () => Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;
  /** Whether background requests should be avoided. */
  isDataSaving: () => boolean;
};

/**
 * Fetches `latest.json` every hour, when the window gets the focus and when the network is back. Another build
 * id, or a 404 for the manifest of this build, makes the page outdated permanently. Failed checks are ignored.
 *
 * Of the manifest only the status is used. The rules of the routes in it are part of the page's own code (`pages.ts`),
 * so that no navigation waits for them; but a server that no longer has this build says so a second after the document
 * was loaded, not only after an hour.
 */
export function createDeployWatch(options: DeployWatchOptions): DeployWatch {
  const { buildId, fetch, now, isDataSaving } = options;
  const listeners = new Set<() => void>();
  let outdated = false;
  let stop = () => {};

  const markOutdated = () => {
    if (outdated) return;
    outdated = true;
    stop();
    for (const listener of listeners) listener();
  };
  const fetchLatest = async () => {
    const response = await fetch(`/builds/latest.json?${now()}`, { priority: 'low' });
    const latest: unknown = response.ok ? await response.json() : null;
    if (hasId(latest) && latest.id !== buildId()) markOutdated();
  };
  const fetchManifest = async () => {
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
      const stopChecks = repeatCheck(withoutErrors(fetchLatest), options);
      const warmUp = isDataSaving() ? undefined : setTimeout(withoutErrors(fetchManifest), WARM_UP_DELAY_MS);
      stop = () => {
        stopChecks();
        clearTimeout(warmUp);
      };
      return stop;
    },
  };
}

type RepetitionOptions = Pick<DeployWatchOptions, 'now' | 'events'>;

/** Runs `check` every hour, at the focus and when the network is back. Returns a function that stops this. */
function repeatCheck(check: () => void, { now, events }: RepetitionOptions): () => void {
  let checkedAt = now();
  const run = () => {
    checkedAt = now();
    clearTimeout(timer);
    timer = setTimeout(run, HOUR_MS);
    check();
  };
  let timer = setTimeout(run, HOUR_MS);
  const runAfterPause = () => {
    if (now() - checkedAt >= MIN_PAUSE_MS) run();
  };
  const target = events();
  for (const type of ['focus', 'online']) target.addEventListener(type, runAfterPause);
  return () => {
    clearTimeout(timer);
    for (const type of ['focus', 'online']) target.removeEventListener(type, runAfterPause);
  };
}

function hasId(value: unknown): value is { id: string } {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string';
}

/** For checks that fail without a network, or behind a proxy that responds with HTML. The next check repeats them. */
function withoutErrors(check: () => Promise<void>): () => void {
  return () => void check().catch(() => {});
}

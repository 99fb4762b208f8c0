import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeployWatch, type DeployWatchOptions } from '~/client/deployment/deploy-watch.ts';

const HOUR = 3_600_000;

let requests: string[];
let latest: () => Promise<Response>;
let meta: () => Promise<Response>;
let events: EventTarget;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00Z') });
  requests = [];
  events = new EventTarget();
  latest = async () => Response.json({ id: 'one', timestamp: 1 });
  meta = async () => Response.json({ id: 'one' });
});
afterEach(() => vi.useRealTimers());

function create(options: Partial<DeployWatchOptions> = {}) {
  return createDeployWatch({
    buildId: () => 'one',
    fetch: (address) => {
      requests.push(address);
      return address.startsWith('/builds/latest.json') ? latest() : meta();
    },
    now: () => Date.now(),
    events: () => events,
    isDataSaving: () => false,
    ...options,
  });
}

function watch(options: Partial<DeployWatchOptions> = {}) {
  const deployWatch = create(options);
  deployWatch.start();
  return deployWatch;
}

const checks = () => requests.filter((address) => address.startsWith('/builds/latest.json'));

describe('the deploy watch', () => {
  it('fetches the manifest of the build one second after the start', async () => {
    watch();
    await vi.advanceTimersByTimeAsync(999);
    expect(requests).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(requests).toEqual(['/builds/meta/one.json']);
  });

  it('does not fetch the manifest for visitors who save data', async () => {
    watch({ isDataSaving: () => true });
    await vi.advanceTimersByTimeAsync(HOUR - 1);
    expect(requests).toEqual([]);
  });

  it('checks every hour, with an address that is in no cache', async () => {
    watch();
    const start = Date.now();
    await vi.advanceTimersByTimeAsync(HOUR - 1);
    expect(checks()).toEqual([]);
    await vi.advanceTimersByTimeAsync(2 * HOUR + 1);
    expect(checks()).toEqual([1, 2, 3].map((n) => `/builds/latest.json?${start + n * HOUR}`));
  });

  it.each(['focus', 'online'])(
    'checks on %s at most once per minute, and again after an hour',
    async (type) => {
      watch();
      events.dispatchEvent(new Event(type));
      expect(checks(), 'the document was loaded just now').toHaveLength(0);
      await vi.advanceTimersByTimeAsync(60_000);
      events.dispatchEvent(new Event(type));
      events.dispatchEvent(new Event(type));
      expect(checks()).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(HOUR - 1);
      expect(checks()).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(checks()).toHaveLength(2);
    },
  );

  it('notifies listeners of another build once, and then stops checking', async () => {
    const deployWatch = watch();
    const listener = vi.fn();
    deployWatch.subscribe(listener);
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(deployWatch.isOutdated()).toBe(false);
    latest = async () => Response.json({ id: 'two', timestamp: 2 });
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(deployWatch.isOutdated()).toBe(true);
    await vi.advanceTimersByTimeAsync(10 * HOUR);
    events.dispatchEvent(new Event('focus'));
    deployWatch.markOutdated();
    expect(checks()).toHaveLength(2);
    expect(listener).toHaveBeenCalledOnce();
  });

  it('reports another build when the manifest of this one is gone', async () => {
    meta = async () => new Response(null, { status: 404 });
    const deployWatch = watch();
    await vi.advanceTimersByTimeAsync(1000);
    expect(deployWatch.isOutdated()).toBe(true);
  });

  it.each<[string, () => Promise<Response>]>([
    ['no network', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['an HTML page of a proxy', async () => new Response('<!doctype html>')],
    ['a server error', async () => Response.json({ id: 'two' }, { status: 503 })],
    ['JSON without an id', async () => Response.json([null])],
  ])('ignores %s and checks again', async (_, respond) => {
    latest = respond;
    meta = respond;
    const deployWatch = watch();
    await vi.advanceTimersByTimeAsync(2 * HOUR);
    expect(deployWatch.isOutdated()).toBe(false);
    expect(checks()).toHaveLength(2);
  });

  it('stops all timers, and does not call removed listeners', async () => {
    const deployWatch = create();
    const listener = vi.fn();
    deployWatch.subscribe(listener)();
    deployWatch.start()();
    expect(vi.getTimerCount()).toBe(0);
    deployWatch.markOutdated();
    expect(listener).not.toHaveBeenCalled();
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeployWatch, type DeployWatchOptions } from '~/client/deployment/deploy-watch.ts';

const HOUR = 3_600_000;

let asked: string[];
let latest: () => Promise<Response>;
let meta: () => Promise<Response>;
let events: EventTarget;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00Z') });
  asked = [];
  events = new EventTarget();
  latest = async () => Response.json({ id: 'one', timestamp: 1 });
  meta = async () => Response.json({ id: 'one' });
});
afterEach(() => vi.useRealTimers());

function watch(options: Partial<DeployWatchOptions> = {}) {
  const deployWatch = createDeployWatch({
    buildId: () => 'one',
    fetch: (address) => {
      asked.push(address);
      return address.startsWith('/builds/latest.json') ? latest() : meta();
    },
    now: () => Date.now(),
    events: () => events,
    isThrifty: () => false,
    ...options,
  });
  deployWatch.start();
  return deployWatch;
}

const looks = () => asked.filter((address) => address.startsWith('/builds/latest.json'));

describe('watching for deployments', () => {
  it('warms the manifest up one second after the start', async () => {
    watch();
    await vi.advanceTimersByTimeAsync(999);
    expect(asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toEqual(['/builds/meta/one.json']);
  });

  it('warms nothing up for those who asked for few bytes', async () => {
    watch({ isThrifty: () => true });
    await vi.advanceTimersByTimeAsync(HOUR - 1);
    expect(asked).toEqual([]);
  });

  it('looks every hour, under an address that no cache has seen', async () => {
    watch();
    const start = Date.now();
    await vi.advanceTimersByTimeAsync(HOUR - 1);
    expect(looks()).toEqual([]);
    await vi.advanceTimersByTimeAsync(2 * HOUR + 1);
    expect(looks()).toEqual([1, 2, 3].map((n) => `/builds/latest.json?${start + n * HOUR}`));
  });

  it('looks as often as it is told', async () => {
    watch({ interval: 5000 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(looks()).toHaveLength(2);
  });

  it.each(['focus', 'online'])('looks on %s, once in a minute, and an hour after that', async (type) => {
    watch();
    events.dispatchEvent(new Event(type));
    expect(looks(), 'the document itself was the newest').toHaveLength(0);
    await vi.advanceTimersByTimeAsync(60_000);
    events.dispatchEvent(new Event(type));
    events.dispatchEvent(new Event(type));
    expect(looks()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(HOUR - 1);
    expect(looks()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(looks()).toHaveLength(2);
  });

  it('tells of another build once, and then looks no more', async () => {
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
    expect(looks()).toHaveLength(2);
    expect(listener).toHaveBeenCalledOnce();
  });

  it('takes it for another build when the site no longer knows this one', async () => {
    meta = async () => new Response(null, { status: 404 });
    const deployWatch = watch();
    await vi.advanceTimersByTimeAsync(1000);
    expect(deployWatch.isOutdated()).toBe(true);
  });

  it.each<[string, () => Promise<Response>]>([
    ['no network', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['a proxy’s page', async () => new Response('<!doctype html>')],
    ['a failure', async () => Response.json({ id: 'two' }, { status: 503 })],
    ['JSON without an id', async () => Response.json([null])],
  ])('concludes nothing from %s and looks again', async (_, answer) => {
    latest = answer;
    meta = answer;
    const deployWatch = watch();
    await vi.advanceTimersByTimeAsync(2 * HOUR);
    expect(deployWatch.isOutdated()).toBe(false);
    expect(looks()).toHaveLength(2);
  });

  it('stops when it is told to, and calls nobody who has stopped listening', async () => {
    const deployWatch = createDeployWatch({
      buildId: () => 'one',
      fetch: latest,
      now: () => Date.now(),
      events: () => events,
      isThrifty: () => false,
    });
    const listener = vi.fn();
    deployWatch.subscribe(listener)();
    deployWatch.start()();
    expect(vi.getTimerCount()).toBe(0);
    deployWatch.markOutdated();
    expect(listener).not.toHaveBeenCalled();
  });
});

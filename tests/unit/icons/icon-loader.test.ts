import { describe, expect, it } from 'vitest';
import {
  createIconLoader,
  type IconLoaderOptions,
  type Icons,
  type LoadedIcon,
} from '../../../app/icons/icon-loader.ts';
import { createDeferred, createManualTimers } from '../../support/timing/manual-timers.ts';

const HOSTS = ['https://a.example', 'https://b.example', 'https://c.example'];
const icon = { body: '<path d="M0 0"/>' };

type SentRequest = { host: string; address: string; signal: AbortSignal };
/** How a host responds: with every requested icon, with given icons, never, or with a promise of the test. */
type Host = 'icons' | 'not-found' | 'failure' | 'silence' | Promise<Icons | null> | Icons;

/** A loader with a manual clock and scripted hosts, and the requests that it sent. */
function open(
  behavior: Record<string, Host>,
  hosts: readonly string[] = HOSTS.slice(0, Object.keys(behavior).length),
) {
  const time = createManualTimers();
  const requests: SentRequest[] = [];
  const fetchIcons: IconLoaderOptions['fetchIcons'] = async (address, _collection, signal) => {
    const { origin, searchParams } = new URL(address);
    requests.push({ host: origin, address, signal });
    const host = behavior[origin.slice('https://'.length, 'https://'.length + 1)] ?? 'silence';
    if (host === 'silence') return new Promise(() => {});
    if (host === 'failure') throw new TypeError('fetch failed');
    if (host === 'not-found') return null;
    if (host !== 'icons') return host;
    return Object.fromEntries((searchParams.get('icons') ?? '').split(',').map((name) => [name, icon]));
  };
  const memory = new Map<string, LoadedIcon>();
  const loader = createIconLoader({ hosts, fetchIcons, memory, schedule: time.schedule });
  const pass = async (ms: number) => {
    await time.advance(ms);
    await time.advance(0);
  };
  return { loader, requests, behavior, pass, hosts: () => requests.map(({ host }) => host.at(8)) };
}

describe('batching', () => {
  it('sends one request per collection for all names of the same tick, sorted and without duplicates', async () => {
    const { loader, requests, pass } = open({ a: 'icons' });
    const ids = ['mdi:home', 'tabler:home', 'mdi:account', 'mdi:home'];
    const loads = ids.map((id) => loader.load(id));
    await pass(50);
    expect(requests.map(({ address }) => address)).toEqual([
      'https://a.example/mdi.json?icons=account,home',
      'https://a.example/tabler.json?icons=home',
    ]);
    expect(await Promise.all(loads)).toEqual(Array(4).fill({ state: 'loaded', icon }));
  });

  it('does not request a pending icon again', async () => {
    const { loader, requests, pass } = open({ a: 'silence' });
    void loader.load('mdi:home');
    await pass(100);
    void loader.load('mdi:home');
    await pass(100);
    expect(requests).toHaveLength(1);
  });

  it('allows addresses of 499 characters at the host with the longest name, and not of 500', async () => {
    const hosts = ['https://a.example', `https://${'b'.repeat(40)}.example`];
    const others = ['a', 'b', 'c'].map((letter) => letter.repeat(128));
    const last = 'd'.repeat(499 - `${hosts[1]}/mdi.json?icons=${others.join(',')},`.length);
    for (const [name, requestCount] of [
      [last, 1],
      [`${last}d`, 2],
    ] as const) {
      const { loader, requests, pass } = open({ a: 'icons' }, hosts);
      const loads = [...others, name].map((each) => loader.load(`mdi:${each}`));
      await pass(50);
      expect(requests).toHaveLength(requestCount);
      expect((await Promise.all(loads)).every(({ state }) => state === 'loaded')).toBe(true);
    }
  });
});

describe('memory', () => {
  it('does not request an icon again that was loaded, or that the collection does not have', async () => {
    const { loader, requests, pass } = open({ a: { home: icon } });
    const ids = ['mdi:home', 'mdi:nowhere'];
    const statesOf = async (loads: Promise<LoadedIcon>[]) =>
      (await Promise.all(loads)).map(({ state }) => state);
    const loads = ids.map((id) => loader.load(id));
    await pass(50);
    expect(await statesOf(loads)).toEqual(['loaded', 'missing']);
    expect(await statesOf(ids.map((id) => loader.load(id)))).toEqual(['loaded', 'missing']);
    await pass(50);
    expect(requests).toHaveLength(1);
  });

  it.each([
    'home',
    'mdi:',
    ':home',
    'mdi:Home',
    'mdi:-home',
    'mdi:home-',
    'mdi:a--b',
    'mdi:../x',
    'mdi:home:two',
    `mdi:${'a'.repeat(129)}`,
  ])('treats the invalid name “%s” as missing without a request', async (id) => {
    const { loader, requests, pass } = open({ a: 'icons' });
    expect(await loader.load(id)).toEqual({ state: 'missing' });
    await pass(50);
    expect(requests).toEqual([]);
  });

  it('does not treat inherited properties as icons', async () => {
    const { loader, pass } = open({ a: {} });
    const load = loader.load('mdi:constructor');
    await pass(50);
    expect(await load).toEqual({ state: 'missing' });
  });
});

describe('several hosts', () => {
  it('tries the next host after 750 ms, in parallel with the first', async () => {
    const { loader, requests, hosts, pass } = open({ a: 'silence', b: 'silence', c: 'icons' });
    const load = loader.load('mdi:home');
    await pass(700);
    expect(hosts()).toEqual(['a']);
    await pass(50);
    expect(hosts()).toEqual(['a', 'b']);
    expect(requests[0]?.signal.aborted).toBe(false);
    await pass(750);
    expect(await load).toEqual({ state: 'loaded', icon });
    expect(requests[0]?.signal.aborted).toBe(true);
  });

  it('tries the next host immediately after a failure', async () => {
    const { loader, hosts, pass } = open({ a: 'failure', b: 'failure', c: 'icons' });
    const load = loader.load('mdi:home');
    await pass(0);
    expect(hosts()).toEqual(['a', 'b', 'c']);
    expect(await load).toEqual({ state: 'loaded', icon });
  });

  it('tries no other host after a 404, and ignores later responses', async () => {
    const late = createDeferred<Icons>();
    const { loader, requests, hosts, pass } = open({ a: late.promise, b: 'not-found', c: 'icons' });
    const load = loader.load('none:home');
    await pass(750);
    expect(await load).toEqual({ state: 'unknown-collection' });
    expect(requests[0]?.signal.aborted).toBe(true);
    late.resolve({ home: icon });
    await pass(10_000);
    expect(hosts()).toEqual(['a', 'b']);
    expect(await loader.load('none:home')).toEqual({ state: 'unknown-collection' });
  });

  it('times out 5 s after the 750 ms of the last host', async () => {
    const { loader, pass } = open({ a: 'silence', b: 'silence' });
    let result: LoadedIcon | null = null;
    void loader.load('mdi:home').then((loaded) => {
      result = loaded;
    });
    await pass(2 * 750 + 4950);
    expect(result).toBeNull();
    await pass(50);
    expect(result).toEqual({ state: 'failed', reason: 'timed-out' });
  });

  it('delivers and remembers an icon that arrives after the timeout', async () => {
    const late = createDeferred<Icons>();
    const { loader, requests, pass } = open({ a: late.promise });
    const arrived: unknown[] = [];
    const load = loader.load('mdi:home', (found) => arrived.push(found));
    await pass(6000);
    expect(await load).toEqual({ state: 'failed', reason: 'timed-out' });
    late.resolve({ home: icon });
    await pass(0);
    expect(arrived).toEqual([icon]);
    expect(await loader.load('mdi:home')).toEqual({ state: 'loaded', icon });
    expect(requests).toHaveLength(1);
  });

  it('starts with the host that responded last', async () => {
    const { loader, behavior, hosts, pass } = open({ a: 'failure', b: 'icons', c: 'icons' });
    void loader.load('mdi:one');
    await pass(50);
    behavior.b = 'failure';
    const load = loader.load('mdi:two');
    await pass(50);
    expect(hosts()).toEqual(['a', 'b', 'b', 'c']);
    expect((await load).state).toBe('loaded');
  });

  it('fails without a host', async () => {
    const { loader, pass } = open({}, []);
    const load = loader.load('mdi:home');
    await pass(0);
    expect(await load).toEqual({ state: 'failed', reason: 'unavailable' });
  });
});

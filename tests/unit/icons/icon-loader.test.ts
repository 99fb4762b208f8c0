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

type Asked = { host: string; address: string; signal: AbortSignal };
/** How a host answers: with every icon asked for, with what is given, never, or by the test's own promise. */
type Host = 'icons' | 'not-found' | 'failure' | 'silence' | Promise<Icons | null> | Icons;

/** A loader in manual time over hosts that behave as told; what it asked them. */
function open(
  behaviour: Record<string, Host>,
  hosts: readonly string[] = HOSTS.slice(0, Object.keys(behaviour).length),
) {
  const time = createManualTimers();
  const asked: Asked[] = [];
  const ask: IconLoaderOptions['ask'] = async (address, _collection, signal) => {
    const { origin, searchParams } = new URL(address);
    asked.push({ host: origin, address, signal });
    const host = behaviour[origin.slice('https://'.length, 'https://'.length + 1)] ?? 'silence';
    if (host === 'silence') return new Promise(() => {});
    if (host === 'failure') throw new TypeError('fetch failed');
    if (host === 'not-found') return null;
    if (host !== 'icons') return host;
    return Object.fromEntries((searchParams.get('icons') ?? '').split(',').map((name) => [name, icon]));
  };
  const memory = new Map<string, LoadedIcon>();
  const loader = createIconLoader({ hosts, ask, memory, schedule: time.schedule });
  const pass = async (ms: number) => {
    await time.advance(ms);
    await time.advance(0);
  };
  return { loader, asked, memory, behaviour, pass, hosts: () => asked.map(({ host }) => host.at(8)) };
}

describe('what goes out together', () => {
  it('asks once for everything that was named in the same tick, sorted and each once', async () => {
    const { loader, asked, pass } = open({ a: 'icons' });
    const loads = ['mdi:home', 'mdi:account', 'mdi:home'].map((id) => loader.load(id));
    await pass(50);
    expect(asked.map(({ address }) => address)).toEqual(['https://a.example/mdi.json?icons=account,home']);
    expect(await Promise.all(loads)).toEqual(Array(3).fill({ state: 'loaded', icon }));
  });

  it('asks for each collection by itself', async () => {
    const { loader, asked, pass } = open({ a: 'icons' });
    for (const id of ['mdi:home', 'tabler:home']) void loader.load(id);
    await pass(50);
    expect(asked.map(({ address }) => new URL(address).pathname)).toEqual(['/mdi.json', '/tabler.json']);
  });

  it('asks in another request for what is named in a later tick', async () => {
    const { loader, asked, pass } = open({ a: 'icons' });
    void loader.load('mdi:home');
    await pass(50);
    void loader.load('mdi:account');
    await pass(50);
    expect(asked).toHaveLength(2);
  });

  it('does not ask again for what is on its way', async () => {
    const { loader, asked, pass } = open({ a: 'silence' });
    void loader.load('mdi:home');
    await pass(100);
    void loader.load('mdi:home');
    await pass(100);
    expect(asked).toHaveLength(1);
  });

  it('keeps every address under 500 characters, whichever host is asked, and fills it', async () => {
    const hosts = ['https://a.example', `https://${'b'.repeat(40)}.example`];
    const { loader, asked, pass } = open({ a: 'icons' }, hosts);
    const names = Array.from({ length: 120 }, (_, index) =>
      `icon-${'x'.repeat(index % 17)}-${index}`.replace('--', '-'),
    );
    const loads = names.map((name) => loader.load(`mdi:${name}`));
    await pass(50);
    const overhang = (hosts[1] ?? '').length - (hosts[0] ?? '').length;
    const lengths = asked.map(({ address }) => address.length + overhang);
    expect(Math.max(...lengths)).toBeLessThan(500);
    // Only the last may have room for another name of this length.
    expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThan(500 - 30);
    expect((await Promise.all(loads)).every(({ state }) => state === 'loaded')).toBe(true);
  });

  it('comes to 499 characters and not to 500', async () => {
    // https://a.example/mdi.json?icons= has 33, the first name 128, the second and third with their commas the rest.
    const room = 499 - 33;
    const first = 'a'.repeat(128);
    const second = 'b'.repeat(128);
    const third = 'c'.repeat(128);
    const last = 'd'.repeat(room - 3 * 129);
    for (const [name, requests] of [
      [last, 1],
      [`${last}d`, 2],
    ] as const) {
      const { loader, asked, pass } = open({ a: 'icons' });
      for (const each of [first, second, third, name]) void loader.load(`mdi:${each}`);
      await pass(50);
      expect(asked).toHaveLength(requests);
      expect(asked[0]?.address.length).toBe(requests === 1 ? 499 : 33 + 3 * 129 - 1);
    }
  });
});

describe('what is remembered', () => {
  it('asks no more for what was loaded', async () => {
    const { loader, asked, pass } = open({ a: 'icons' });
    void loader.load('mdi:home');
    await pass(50);
    expect(await loader.load('mdi:home')).toEqual({ state: 'loaded', icon });
    await pass(50);
    expect(asked).toHaveLength(1);
  });

  it('asks no more for what the collection does not have', async () => {
    const { loader, asked, pass } = open({ a: { home: icon } });
    const loads = [loader.load('mdi:home'), loader.load('mdi:nowhere')];
    await pass(50);
    expect((await Promise.all(loads)).map(({ state }) => state)).toEqual(['loaded', 'missing']);
    expect(await loader.load('mdi:nowhere')).toEqual({ state: 'missing' });
    await pass(50);
    expect(asked).toHaveLength(1);
  });

  it.each([
    'home',
    'mdi:',
    ':home',
    'mdi:Home',
    'mdi:home_2',
    'mdi:-home',
    'mdi:home-',
    'mdi:a--b',
    'mdi:a,b',
    'mdi:../x',
    'MDI:home',
    'mdi:home:two',
    `mdi:${'a'.repeat(129)}`,
    '',
  ])('takes “%s” for missing without a request', async (id) => {
    const { loader, asked, pass } = open({ a: 'icons' });
    expect(await loader.load(id)).toEqual({ state: 'missing' });
    await pass(50);
    expect(asked).toEqual([]);
  });

  it('takes what every object has for no icon', async () => {
    const { loader, pass } = open({ a: {} });
    const load = loader.load('mdi:constructor');
    await pass(50);
    expect(await load).toEqual({ state: 'missing' });
  });

  it('tries again what failed', async () => {
    const { loader, behaviour, pass } = open({ a: 'failure' });
    const load = loader.load('mdi:home');
    await pass(50);
    expect(await load).toEqual({ state: 'failed', reason: 'refused' });
    behaviour.a = 'icons';
    const again = loader.load('mdi:home');
    await pass(50);
    expect(await again).toEqual({ state: 'loaded', icon });
  });
});

describe('one host after the other', () => {
  it('asks the next host after 750 ms, beside the first', async () => {
    const { loader, asked, hosts, pass } = open({ a: 'silence', b: 'silence', c: 'icons' });
    const load = loader.load('mdi:home');
    await pass(700);
    expect(hosts()).toEqual(['a']);
    await pass(50);
    expect(hosts()).toEqual(['a', 'b']);
    expect(asked[0]?.signal.aborted).toBe(false);
    await pass(750);
    expect(await load).toEqual({ state: 'loaded', icon });
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  it('asks the next host at once after a failure', async () => {
    const { loader, hosts, pass } = open({ a: 'failure', b: 'failure', c: 'icons' });
    const load = loader.load('mdi:home');
    await pass(0);
    expect(hosts()).toEqual(['a', 'b', 'c']);
    expect(await load).toEqual({ state: 'loaded', icon });
  });

  it('asks nobody else after a 404, and takes no other answer', async () => {
    const late = createDeferred<Icons>();
    const { loader, asked, hosts, pass } = open({ a: late.promise, b: 'not-found', c: 'icons' });
    const load = loader.load('none:home');
    await pass(750);
    expect(await load).toEqual({ state: 'unknown-collection' });
    expect(asked[0]?.signal.aborted).toBe(true);
    late.resolve({ home: icon });
    await pass(10_000);
    expect(hosts()).toEqual(['a', 'b']);
    expect(await loader.load('none:home')).toEqual({ state: 'unknown-collection' });
  });

  it('fails at once when every host has failed', async () => {
    const { loader, pass } = open({ a: 'failure', b: 'failure' });
    const load = loader.load('mdi:home');
    await pass(0);
    expect(await load).toEqual({ state: 'failed', reason: 'refused' });
  });

  it('gives up 5 s after the last host had its 750 ms', async () => {
    const { loader, pass } = open({ a: 'silence', b: 'silence' });
    let answer: LoadedIcon | null = null;
    void loader.load('mdi:home').then((loaded) => {
      answer = loaded;
    });
    await pass(2 * 750 + 4950);
    expect(answer).toBeNull();
    await pass(50);
    expect(answer).toEqual({ state: 'failed', reason: 'timed-out' });
  });

  it('delivers what arrives after it gave up, and remembers it', async () => {
    const late = createDeferred<Icons>();
    const { loader, asked, pass } = open({ a: late.promise });
    const arrived: unknown[] = [];
    const load = loader.load('mdi:home', (found) => arrived.push(found));
    await pass(6000);
    expect(await load).toEqual({ state: 'failed', reason: 'timed-out' });
    late.resolve({ home: icon });
    await pass(0);
    expect(arrived).toEqual([icon]);
    expect(await loader.load('mdi:home')).toEqual({ state: 'loaded', icon });
    expect(asked).toHaveLength(1);
  });

  it('begins with the host that answered last', async () => {
    const { loader, behaviour, hosts, pass } = open({ a: 'failure', b: 'icons', c: 'icons' });
    void loader.load('mdi:one');
    await pass(50);
    behaviour.b = 'failure';
    const load = loader.load('mdi:two');
    await pass(50);
    expect(hosts()).toEqual(['a', 'b', 'b', 'c']);
    expect((await load).state).toBe('loaded');
  });

  it('fails without a host', async () => {
    const { loader, pass } = open({}, []);
    const load = loader.load('mdi:home');
    await pass(0);
    expect(await load).toEqual({ state: 'failed', reason: 'refused' });
  });
});

import { describe, expect, it } from 'vitest';
import { action, loader } from '../../../app/resources/api.icons.ts';
import { createIcons } from '../../../app/server/icons/icons.ts';
import { createLog } from '../../../packages/site-server/src/log/log.ts';
import { createManualTimers } from '../../support/timing/manual-timers.ts';
import {
  inSequence,
  respondWith,
  type Script,
  type ScriptedUpstream,
  startUpstream,
} from '../../support/upstreams/scripted-upstream.ts';

const log = createLog('silent');
const HOUR = 60 * 60 * 1000;
const icon = { body: '<path d="M1 2"/>', width: 24, height: 24 };

/** Creates the route with its own icon service, which calls these hosts. */
function openRoute(
  hosts: readonly ScriptedUpstream[] = [],
  options: { schedule?: ReturnType<typeof createManualTimers>['schedule'] } = {},
) {
  const time = { now: 1_700_000_000_000 };
  const icons = createIcons({
    env: { iconApiHosts: hosts.map(({ url }) => new URL(url).origin) },
    clock: () => time.now,
    log,
    ...options,
  });
  const context = { icons, log, requestId: 'r' };
  const get = (target: string, headers: Record<string, string> = {}) => {
    const url = new URL(target, 'http://localhost:3000/api/icons/');
    const file = url.pathname.split('/').at(-1);
    return loader({ request: new Request(url, { headers }), params: { file }, context });
  };
  return { get, time, context };
}

/** An icon API with one collection. It returns the requested ones of `icons`. */
function serving(prefix: string, icons: Record<string, unknown>, more: object = {}): Script {
  return (response, _count, request) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const names = url.searchParams.get('icons')?.split(',') ?? [];
    const found = Object.fromEntries(names.flatMap((name) => (name in icons ? [[name, icons[name]]] : [])));
    respondWith(200, { prefix, icons: found, ...more })(response, 1, request);
  };
}

describe('icons of an installed collection', () => {
  it('are returned in the format of the collection, without a call of the icon API', async () => {
    const api = await startUpstream(respondWith(500, {}));
    const response = await openRoute([api]).get('lucide.json?icons=globe,activity-square,nowhere');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const body = await response.json();
    expect(body).toMatchObject({ prefix: 'lucide', width: 24, height: 24, lastModified: expect.any(Number) });
    expect(Object.keys(body.icons).sort()).toEqual(['globe', 'square-activity']);
    expect(body.icons.globe.body).toContain('<circle cx="12" cy="12" r="10"/>');
    expect(body.aliases).toEqual({ 'activity-square': { parent: 'square-activity' } });
    expect(api.received).toEqual([]);
  });

  it('are left out if they do not exist', async () => {
    const { icons, ...rest } = await (await openRoute().get('lucide.json?icons=nowhere,constructor')).json();
    expect(icons).toEqual({});
    expect(Object.keys(rest).sort()).toEqual(['height', 'lastModified', 'prefix', 'width']);
  });

  it('may be cached by shared caches for a week, or for an hour if a name is missing', async () => {
    const { get } = openRoute();
    const lifetime = async (names: string) =>
      (await get(`lucide.json?icons=${names}`)).headers.get('cache-control');
    expect(await lifetime('globe')).toBe('public, max-age=604800, stale-while-revalidate=604800');
    expect(await lifetime('activity-square')).toContain('max-age=604800,');
    expect(await lifetime('globe,nowhere')).toBe('public, max-age=3600, stale-while-revalidate=604800');
  });

  it('have the same ETag in whatever order they are requested', async () => {
    const { get } = openRoute();
    const etag = (await get('lucide.json?icons=globe,check')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    expect((await get('lucide.json?icons=check,globe,check')).headers.get('etag')).toBe(etag);
    expect((await get('lucide.json?icons=check')).headers.get('etag')).not.toBe(etag);
  });
});

describe('invalid requests for icons', () => {
  it.each([
    'lucide.json',
    'lucide.json?icons=a,',
    'lucide.json?icons=Globe',
    'lucide.json?icons=a_b',
    'lucide.json?icons=a%00',
    `lucide.json?icons=${'a'.repeat(129)}`,
  ])('return 400 for %s', async (target) => {
    const response = await openRoute().get(target);
    expect(response.status).toBe(400);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(await response.json()).toMatchObject({
      status: 400,
      code: 'BadIcons',
      requestId: 'r',
    });
  });

  it.each(['Lucide.json?icons=a', 'evil.example.json?icons=a', '.json?icons=a'])(
    'return 404 for %s without a call of the icon API',
    async (target) => {
      const api = await startUpstream(respondWith(200, {}));
      expect((await openRoute([api]).get(target)).status).toBe(404);
      expect(api.received).toEqual([]);
    },
  );

  it('return 405 for other methods than GET and HEAD', () => {
    const response = action({
      request: new Request('http://localhost/'),
      params: {},
      context: openRoute().context,
    });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('icons of the public API', () => {
  it('are requested from the first host without data of the visitor', async () => {
    const api = await startUpstream(serving('mdi', { home: icon, account: icon }));
    const { get } = openRoute([api]);
    const response = await get('mdi.json?icons=home,account&host=evil.example', { cookie: 'a=b' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ prefix: 'mdi', icons: { account: icon, home: icon } });
    expect(api.received.map(({ url }) => url)).toEqual(['/mdi.json?icons=account,home']);
    expect(api.received[0]?.headers.cookie).toBeUndefined();
  });

  it('have aliases and the dimensions of the collection resolved', async () => {
    const aliases = { house: { parent: 'home', hFlip: true } };
    const api = await startUpstream(
      respondWith(200, { prefix: 'mdi', icons: { home: { body: '<g/>' } }, aliases, width: 32, height: 32 }),
    );
    const { icons } = await (await openRoute([api]).get('mdi.json?icons=house')).json();
    expect(icons).toEqual({ house: { body: '<g/>', width: 32, height: 32, hFlip: true } });
  });

  it('are requested once for several visitors at the same time', async () => {
    const api = await startUpstream(serving('mdi', { home: icon, account: icon }));
    const { get } = openRoute([api]);
    const responses = await Promise.all(
      ['home', 'account', 'home'].map((name) => get(`mdi.json?icons=${name}`)),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(api.received).toHaveLength(1);
  });

  it('are cached for a week, and missing names for an hour', async () => {
    const api = await startUpstream(serving('mdi', { home: icon }));
    const { get, time } = openRoute([api]);
    const callsAfter = async (ms: number, names: string) => {
      time.now += ms;
      await get(`mdi.json?icons=${names}`);
      return api.received.length;
    };
    expect(await callsAfter(0, 'home,nowhere')).toBe(1);
    expect(await callsAfter(HOUR - 1, 'home,nowhere')).toBe(1);
    expect(await callsAfter(2, 'nowhere')).toBe(2);
    expect(await callsAfter(167 * HOUR - 2, 'home')).toBe(2);
    expect(await callsAfter(2, 'home')).toBe(3);
  });

  it('are left out if they contain scripts or event handlers', async () => {
    const evil = { body: '<g onload="alert(1)"/>' };
    const api = await startUpstream(serving('mdi', { home: icon, evil, scripted: { body: '<script/>' } }));
    const response = await openRoute([api]).get('mdi.json?icons=home,evil,scripted');
    expect(Object.keys((await response.json()).icons)).toEqual(['home']);
  });

  it('return 404 for an unknown collection, which is cached', async () => {
    const apis = [
      await startUpstream(respondWith(404, 'Not found')),
      await startUpstream(serving('none', {})),
    ];
    const { get } = openRoute(apis);
    expect((await get('none.json?icons=home')).status).toBe(404);
    expect((await get('none.json?icons=home')).status).toBe(404);
    expect(apis.map(({ received }) => received.length)).toEqual([1, 0]);
  });

  it('return 404 if no icon API is configured', async () => {
    expect((await openRoute().get('mdi.json?icons=home')).status).toBe(404);
  });
});

describe('a public API that fails', () => {
  const failures: [string, Script][] = [
    ['500', respondWith(500, {})],
    ['invalid JSON', respondWith(200, '{"prefix":')],
    ['JSON of another shape', respondWith(200, { hello: 'world' })],
    ['another collection', respondWith(200, { prefix: 'tabler', icons: {} })],
    ['invalid names', respondWith(200, { prefix: 'mdi', icons: { 'a b': icon } })],
    [
      'an icon that is too long',
      respondWith(200, { prefix: 'mdi', icons: { home: { body: 'x'.repeat(70_000) } } }),
    ],
    [
      'more than 1 MiB',
      respondWith(200, JSON.stringify({ prefix: 'mdi', icons: { home: icon } }) + ' '.repeat(1_100_000)),
    ],
    [
      'a rotation by more than a turn',
      respondWith(200, { prefix: 'mdi', icons: { home: { ...icon, rotate: 5 } } }),
    ],
    ['a redirect', respondWith(302, '', { location: 'https://evil.example/mdi.json' })],
    ['a reset connection', (response) => void response.destroy()],
    ['a list for icons', respondWith(200, { prefix: 'mdi', icons: [], aliases: {} })],
  ];

  it.each(failures)('is replaced by the next host immediately after %s', async (_what, script) => {
    const apis = [await startUpstream(script), await startUpstream(serving('mdi', { home: icon }))];
    const response = await openRoute(apis).get('mdi.json?icons=home');
    expect(response.status).toBe(200);
    expect((await response.json()).icons).toEqual({ home: icon });
  });

  it('leads to 502 when every host fails', async () => {
    const response = await openRoute([await startUpstream(respondWith(500, {}))]).get('mdi.json?icons=home');
    expect(response.status).toBe(502);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(await response.json()).toEqual({
      status: 502,
      detail: 'A network error has occurred.',
      code: 'NetworkError',
      requestId: 'r',
    });
  });

  it('may send circular aliases, which are left out', async () => {
    const aliases = { home: { parent: 'house' }, house: { parent: 'home' } };
    const api = await startUpstream(respondWith(200, { prefix: 'mdi', icons: {}, aliases }));
    expect((await (await openRoute([api]).get('mdi.json?icons=home')).json()).icons).toEqual({});
  });

  it('leads to 504 after 4.5 s when none of three hosts responds', async () => {
    const time = createManualTimers();
    const hanging: Script = () => {};
    const apis = await Promise.all([1, 2, 3].map(() => startUpstream(hanging)));
    const { get } = openRoute(apis, { schedule: time.schedule });
    let status = 0;
    const response = get('mdi.json?icons=home').then((result) => {
      status = result.status;
    });
    await time.advance(0);
    await expect.poll(() => apis[0]?.received).toHaveLength(1);
    await time.advance(4499);
    expect(status).toBe(0);
    await time.advance(1);
    await response;
    expect(status).toBe(504);
  });

  // threat-model: T-091
  it('gets at most eight requests at a time, and visitors beyond 32 get 503', async () => {
    let open = 0;
    let most = 0;
    const host = await startUpstream((response, count, request) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        serving('mdi', {})(response, count, request);
      }, 20);
    });
    const { get } = openRoute([host]);
    const names = (visitor: number) => Array.from({ length: 50 }, (_, index) => `icon-${visitor}-${index}`);
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, visitor) => get(`mdi.json?icons=${names(visitor).join(',')}`)),
    );
    expect(most).toBe(8);
    const rejected = responses.filter(({ status }) => status === 503);
    expect(rejected).toHaveLength(8);
    expect(rejected[0]?.headers.get('retry-after')).toBe('1');
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(32);
  });

  it('is not called for five seconds after five failures', async () => {
    const fails = respondWith(500, {});
    const api = await startUpstream(
      inSequence(fails, fails, fails, fails, fails, serving('mdi', { home: icon })),
    );
    const { get, time } = openRoute([api]);
    for (let count = 0; count < 5; count += 1) expect((await get('mdi.json?icons=home')).status).toBe(502);
    const rejected = await get('mdi.json?icons=home');
    expect(rejected.status).toBe(503);
    expect(rejected.headers.get('retry-after')).toBe('5');
    expect(api.received).toHaveLength(5);
    expect((await get('lucide.json?icons=globe')).status).toBe(200);
    time.now += 5000;
    expect((await get('mdi.json?icons=home')).status).toBe(200);
  });
});

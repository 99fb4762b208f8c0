import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createIcons } from '../../../../app/server/icons/icons.ts';
import { createInstalledIcons } from '../../../../app/server/icons/installed-icons.ts';
import { createLog } from '../../../../packages/site-server/src/log/log.ts';
import { createManualTimers } from '../../../support/timing/manual-timers.ts';
import {
  inSequence,
  respondWith,
  type Script,
  startUpstream,
} from '../../../support/upstreams/scripted-upstream.ts';

const icon = { body: '<path d="M1 2"/>', width: 24, height: 24 };
const home = respondWith(200, { prefix: 'mdi', icons: { home: icon } });

/** Icons with a scripted icon API, or without one, and what they log. */
async function openIcons(script: Script | null, options: Partial<Parameters<typeof createIcons>[0]> = {}) {
  const api = script && (await startUpstream(script));
  const iconApiHosts = api ? [new URL(api.url).origin] : [];
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(JSON.parse(line).msg) });
  const icons = createIcons({ env: { iconApiHosts }, clock: Date.now, log, ...options });
  return { icons, lines, received: api?.received ?? [] };
}

describe('prepared icons', () => {
  it('of an installed collection need no icon API', async () => {
    const { icons, lines, received } = await openIcons(home);
    expect(await icons.prepare(['lucide:globe', 'lucide:activity-square'])).toMatchObject({
      'lucide:globe': { body: expect.stringContaining('<circle'), width: 24, height: 24 },
      'lucide:activity-square': { body: expect.stringContaining('<path') },
    });
    expect([received, lines]).toEqual([[], []]);
  });

  it('of other collections take one request for each collection, and then none', async () => {
    const { icons, received } = await openIcons((response, count, request) => {
      const prefix = (request.url ?? '').slice(1).split('.')[0];
      respondWith(200, { prefix, icons: { home: icon, account: icon } })(response, count, request);
    });
    const ids = ['mdi:home', 'tabler:home', 'mdi:account', 'mdi:home'];
    const expected = { 'mdi:home': icon, 'tabler:home': icon, 'mdi:account': icon };
    expect(await icons.prepare(ids)).toEqual(expected);
    expect(await icons.prepare(ids)).toEqual(expected);
    expect(received.map(({ url }) => url).sort()).toEqual([
      '/mdi.json?icons=account,home',
      '/tabler.json?icons=home',
    ]);
    expect(received[0]?.headers.accept).toBe('application/json');
  });

  it('are requested once while the request is pending', async () => {
    let respond = () => {};
    const { icons, received } = await openIcons((...args) => {
      respond = () => home(...args);
    });
    const first = icons.prepare(['mdi:home']);
    await expect.poll(() => received).toHaveLength(1);
    const second = icons.prepare(['mdi:home']);
    respond();
    expect([await first, await second]).toEqual(Array(2).fill({ 'mdi:home': icon }));
    expect(received).toHaveLength(1);
  });

  it.each([
    ['is not in an installed collection', 'lucide:nowhere', home],
    ['is not in a collection', 'mdi:nowhere', home],
    ['is inherited by every object', 'mdi:constructor', home],
    ['is of an unknown collection', 'none:home', respondWith(404, 'Not found')],
    ['cannot be loaded', 'mdi:home', respondWith(500, {})],
    [
      'could run a script',
      'mdi:evil',
      respondWith(200, { prefix: 'mdi', icons: { evil: { body: '<script/>' } } }),
    ],
  ])('lack one that %s, which is logged', async (_what, id, script) => {
    const { icons, lines } = await openIcons(script);
    expect(await icons.prepare([id, 'lucide:globe'])).toEqual({ 'lucide:globe': expect.anything() });
    expect(lines).toEqual([`[Icon] failed to load icon \`${id}\``]);
  });

  it.each(['home', 'mdi:Home', 'constructor', '__proto__'])('lack “%s”, without a request', async (id) => {
    const { icons, received, lines } = await openIcons(home);
    expect(await icons.prepare([id])).toEqual({});
    expect(received).toEqual([]);
    expect(lines).toEqual([`[Icon] failed to load icon \`${id}\``]);
  });

  it('lack those of other collections without an icon API', async () => {
    const { icons } = await openIcons(null);
    expect(await icons.prepare(['mdi:home'])).toEqual({});
  });

  it('are loaded by the next attempt after a failure', async () => {
    const { icons } = await openIcons(inSequence(respondWith(500, {}), home));
    expect(await icons.prepare(['mdi:home'])).toEqual({});
    expect(await icons.prepare(['mdi:home'])).toEqual({ 'mdi:home': icon });
  });

  it('are complete after 1500 ms, and one that arrives later is prepared for the next page', async () => {
    const time = createManualTimers();
    let respond = () => {};
    const script: Script = (...args) => {
      respond = () => home(...args);
    };
    const { icons, lines, received } = await openIcons(script, { schedule: time.schedule });
    let prepared: unknown = null;
    const preparation = icons.prepare(['mdi:home', 'lucide:globe']).then((found) => {
      prepared = found;
    });
    await time.advance(0);
    await expect.poll(() => received).toHaveLength(1);
    await time.advance(1499);
    expect([prepared, lines]).toEqual([null, []]);
    await time.advance(1);
    await preparation;
    expect(prepared).toEqual({ 'lucide:globe': expect.anything() });
    expect(lines).toEqual(['[Icon] loading icon `mdi:home` timed out after 1500ms']);
    respond();
    await expect.poll(() => icons.prepare(['mdi:home'])).toEqual({ 'mdi:home': icon });
    expect(received).toHaveLength(1);
  });
});

describe('icons of a collection', () => {
  it.each([-3, 1, 3])('may be rotated by %i quarters of a turn', async (rotate) => {
    const turned = { ...icon, rotate };
    const { icons } = await openIcons(respondWith(200, { prefix: 'mdi', icons: { home: turned } }));
    expect((await icons.collection('mdi', ['home']))?.icons).toEqual({ home: turned });
  });

  it('that are cached need no icon API, also after failures of it', async () => {
    const { icons } = await openIcons(inSequence(home, respondWith(500, {})));
    await icons.prepare(['mdi:home']);
    for (let failure = 0; failure < 6; failure += 1) await icons.prepare(['mdi:other']);
    expect((await icons.collection('mdi', ['home']))?.icons).toEqual({ home: icon });
  });

  it('are cached up to 4 MiB', async () => {
    const body = `<path d="${'M1 2'.repeat(12_000)}"/>`;
    const { icons, received } = await openIcons((response, count, request) => {
      const names =
        new URL(request.url ?? '', 'http://localhost').searchParams.get('icons')?.split(',') ?? [];
      const found = Object.fromEntries(names.map((name) => [name, { body }]));
      respondWith(200, { prefix: 'mdi', icons: found })(response, count, request);
    });
    for (let index = 0; index < 100; index += 1) await icons.collection('mdi', [`icon-${index}`]);
    expect(received).toHaveLength(100);
    await icons.collection('mdi', ['icon-99']);
    expect(received).toHaveLength(100);
    await icons.collection('mdi', ['icon-0']);
    expect(received).toHaveLength(101);
  });

  it('are null if the collection is unknown, also when some names are', async () => {
    const { icons } = await openIcons(inSequence(home, respondWith(404, 'Not found')));
    await icons.collection('mdi', ['home']);
    expect(await icons.collection('mdi', ['home', 'other'])).toBeNull();
  });

  it('are requested once, also those that do not exist', async () => {
    const { icons, received } = await openIcons(home);
    const expected = { prefix: 'mdi', icons: { home: icon } };
    expect(await icons.collection('mdi', ['home', 'nowhere'])).toStrictEqual(expected);
    expect(await icons.collection('mdi', ['home', 'nowhere'])).toStrictEqual(expected);
    expect(received).toHaveLength(1);
  });

  it('fail as a whole with the reason of the icon that failed', async () => {
    const { icons } = await openIcons(inSequence(home, respondWith(500, {})));
    await icons.collection('mdi', ['home']);
    await expect(icons.collection('mdi', ['home', 'other'])).rejects.toMatchObject({
      name: 'UpstreamError',
      service: 'icon-api',
      code: 'NetworkError',
      message: 'No host of the icon API sent a valid response.',
    });
  });

  it('are remembered when they arrive after the lookup has failed', async () => {
    const time = createManualTimers();
    let respond = () => {};
    const script: Script = (...args) => {
      respond = () => home(...args);
    };
    const { icons, received } = await openIcons(script, { schedule: time.schedule });
    const lookup = icons.collection('mdi', ['home']);
    lookup.catch(() => {});
    await time.advance(0);
    await expect.poll(() => received).toHaveLength(1);
    await time.advance(750 + 2250);
    await expect(lookup).rejects.toMatchObject({ code: 'TimeoutError' });
    respond();
    // The clock stands still, so an attempt before the response has arrived would take forever.
    const soon = () => Promise.race([icons.collection('mdi', ['home']), setTimeout(20)]);
    await expect.poll(soon).toEqual({ prefix: 'mdi', icons: { home: icon } });
    expect(received).toHaveLength(1);
  });
});

describe('installed collections in a folder', () => {
  function folderWith(files: Record<string, unknown>): string {
    const folder = mkdtempSync(join(tmpdir(), 'icons-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(folder, name), JSON.stringify(content));
    }
    return folder;
  }

  it('are read by their names, once', () => {
    const folder = folderWith({ 'own.json': { prefix: 'own', icons: { home: icon } } });
    const installed = createInstalledIcons(folder);
    expect(installed.find({ collection: 'own', name: 'home' })).toMatchObject(icon);
    expect(installed.subset('own', ['home', 'x'])).toMatchObject({ prefix: 'own', icons: { home: icon } });
    expect(installed.subset('own', ['home'])).not.toHaveProperty('not_found');
    expect(installed.subset('other', ['home'])).toBeNull();
    expect(installed.find({ collection: 'other', name: 'home' })).toBeNull();
    rmSync(join(folder, 'own.json'));
    expect(installed.find({ collection: 'own', name: 'home' })).toMatchObject(icon);
  });

  it('are read from no other folder', () => {
    const folder = folderWith({ 'own.json': { prefix: 'own', icons: { home: icon } } });
    const installed = createInstalledIcons(join(folder, 'inner'));
    for (const name of ['../own', 'own', '/etc/own', 'lucide']) {
      expect(installed.subset(name, ['home'])).toBeNull();
    }
  });
});

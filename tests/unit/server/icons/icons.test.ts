import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createIcons } from '../../../../app/server/icons/icons.ts';
import { createInstalledIcons } from '../../../../app/server/icons/installed-icons.ts';
import { createLog } from '../../../../app/server/observability/log.ts';
import {
  inSequence,
  respondWith,
  type Script,
  startUpstream,
} from '../../../support/upstreams/scripted-upstream.ts';

const icon = { body: '<path d="M1 2"/>', width: 24, height: 24 };
const home = respondWith(200, { prefix: 'mdi', icons: { home: icon } });

async function openIcons(script: Script | null, options: Partial<Parameters<typeof createIcons>[0]> = {}) {
  const api = script && (await startUpstream(script));
  const iconApiHosts = api ? [new URL(api.url).origin] : [];
  const log = createLog('silent');
  const icons = createIcons({ env: { iconApiHosts }, clock: Date.now, log, ...options });
  return { icons, received: api?.received ?? [] };
}

describe('an icon by its id', () => {
  it('of an installed collection is found and loaded without a call of the icon API', async () => {
    const { icons, received } = await openIcons(home);
    const globe = { body: expect.stringContaining('<circle'), width: 24, height: 24 };
    expect(icons.find('lucide:globe')).toMatchObject(globe);
    expect(await icons.load('lucide:globe')).toMatchObject({ state: 'loaded', icon: globe });
    expect(icons.find('lucide:nowhere')).toBeNull();
    expect(await icons.load('lucide:nowhere')).toEqual({ state: 'missing' });
    expect(received).toEqual([]);
  });

  it('of another collection is found once it was loaded, and missing if the collection does not have it', async () => {
    const { icons, received } = await openIcons(home);
    expect(icons.find('mdi:home')).toBeNull();
    expect(await icons.load('mdi:home')).toEqual({ state: 'loaded', icon });
    expect(icons.find('mdi:home')).toEqual(icon);
    expect(await icons.load('mdi:home')).toEqual({ state: 'loaded', icon });
    expect(received.map(({ url }) => url)).toEqual(['/mdi.json?icons=home']);
    expect(received[0]?.headers.accept).toBe('application/json');
    expect(await icons.load('mdi:nowhere')).toEqual({ state: 'missing' });
    expect(icons.find('mdi:nowhere')).toBeNull();
  });

  it('that is no id is missing', async () => {
    const { icons, received } = await openIcons(home);
    for (const id of ['home', 'mdi:Home']) {
      expect(icons.find(id)).toBeNull();
      expect(await icons.load(id)).toEqual({ state: 'missing' });
    }
    expect(received).toEqual([]);
  });

  it('is missing without an icon API', async () => {
    const { icons } = await openIcons(null);
    expect(await icons.load('mdi:home')).toEqual({ state: 'missing' });
  });

  it('of an unknown collection is not found', async () => {
    const { icons } = await openIcons(respondWith(404, 'Not found'));
    expect(await icons.load('none:home')).toEqual({ state: 'unknown-collection' });
    expect(icons.find('none:home')).toBeNull();
  });

  it('is unavailable after a failure, and loaded by the next attempt', async () => {
    const { icons } = await openIcons(inSequence(respondWith(500, {}), home));
    expect(await icons.load('mdi:home')).toEqual({ state: 'failed', reason: 'unavailable' });
    expect(await icons.load('mdi:home')).toEqual({ state: 'loaded', icon });
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
    await icons.load('mdi:home');
    for (let failure = 0; failure < 6; failure += 1) await icons.load('mdi:other');
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
    for (let index = 0; index < 100; index += 1) await icons.load(`mdi:icon-${index}`);
    expect(received).toHaveLength(100);
    await icons.load('mdi:icon-99');
    expect(received).toHaveLength(100);
    await icons.load('mdi:icon-0');
    expect(received).toHaveLength(101);
  });

  it('are null if the collection is unknown, also when some names are', async () => {
    const { icons } = await openIcons(inSequence(home, respondWith(404, 'Not found')));
    await icons.load('mdi:home');
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
    await icons.load('mdi:home');
    await expect(icons.collection('mdi', ['home', 'other'])).rejects.toMatchObject({
      name: 'UpstreamError',
      service: 'icon-api',
      code: 'NetworkError',
      message: 'No host of the icon API sent a valid response.',
    });
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

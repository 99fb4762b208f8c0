import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createBrowserTranslations } from '~/client/page-data/browser-translations.ts';
import { loadTranslations } from '~/client/page-data/load-translations.ts';
import { createPayloads } from '~/client/page-data/payloads.ts';
import { defaultLocale, type Locale } from '~/i18n/locales.ts';
import { pageNamed } from '~/pages.ts';
import { other } from '../../../support/this-site.ts';

const home = pageNamed('index');
const about = { ...home, slug: 'about' };
const french = other;
/** A third language, which a site of two languages does not have. */
const german = { ...other, code: 'xx' } as unknown as Locale;

let requests: { address: string; cache: RequestCache | undefined }[];
let respond: (address: string) => Response;
const onOtherBuild = vi.fn();

const payload = (name: string, buildId = 'one') => ({
  buildId,
  translations: { common: { hello: `common ${name}` }, home: { title: `title ${name}`, description: 'd' } },
  head: { title: null, description: 'd' },
});

function create() {
  return createPayloads({
    buildId: () => 'one',
    fetch: async (address, init) => {
      requests.push({ address, cache: init?.cache });
      return respond(address);
    },
    onOtherBuild,
  });
}

beforeEach(() => {
  requests = [];
  respond = (address) => Response.json(payload(address.startsWith(`/${other.code}`) ? other.code : 'en'));
});

describe('payloads', () => {
  it('are fetched once per path, preferably from the HTTP cache', async () => {
    const payloads = create();
    const [first, second] = await Promise.all([payloads.load(home, french), payloads.load(home, french)]);
    expect(await payloads.load(home, french)).toBe(first);
    expect(second).toBe(first);
    expect(requests).toEqual([{ address: `/${other.code}/_payload.json?one`, cache: 'force-cache' }]);
  });

  it('have addresses below those of their pages', async () => {
    const payloads = create();
    await payloads.load(home, defaultLocale);
    await payloads.load(about, defaultLocale);
    await payloads.load(about, german);
    expect(requests.map(({ address }) => address)).toEqual([
      '/_payload.json?one',
      '/about/_payload.json?one',
      `/${german.code}/about/_payload.json?one`,
    ]);
  });

  it('are fetched again after a failure', async () => {
    const payloads = create();
    respond = () => new Response(null, { status: 503 });
    await expect(payloads.load(home, french)).rejects.toThrow('returned status 503');
    respond = () => Response.json({ not: 'a payload' });
    await expect(payloads.load(home, french)).rejects.toThrow('not a payload');
    respond = () => Response.json(payload(other.code));
    await expect(payloads.load(home, french)).resolves.toMatchObject({ translations: { home: {} } });
  });

  it('of another build are rejected and reported', async () => {
    respond = () => Response.json(payload(other.code, 'two'));
    await expect(create().load(home, french)).rejects.toThrow('build two');
    expect(onOtherBuild).toHaveBeenCalledOnce();
  });
});

describe('loadTranslations', () => {
  it('loads the translations of the locale, and on a change of locale also the fallback’s', async () => {
    const translations = createBrowserTranslations();
    await loadTranslations(home, german, false, { translations, payloads: create() });
    expect(requests.map(({ address }) => address)).toEqual([`/${german.code}/_payload.json?one`]);
    await loadTranslations(home, french, true, { translations, payloads: create() });
    expect(
      requests
        .map(({ address }) => address)
        .slice(1)
        .sort(),
    ).toEqual(['/_payload.json?one', `/${other.code}/_payload.json?one`]);
    expect(translations.instance(other.code).t('title', { ns: 'home' })).toBe(`title ${other.code}`);
  });

  it('loads nothing that the document contained', async () => {
    const translations = createBrowserTranslations();
    translations.add(other.code, payload(other.code).translations);
    await loadTranslations(home, french, false, { translations, payloads: create() });
    expect(requests).toEqual([]);
  });

  it('logs a failure and uses the fallback’s translations', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    const translations = createBrowserTranslations();
    translations.instance(other.code);
    respond = (address) =>
      address.startsWith(`/${other.code}`)
        ? new Response(null, { status: 500 })
        : Response.json(payload('en'));
    await loadTranslations(home, french, true, { translations, payloads: create() });
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      `Failed to load translations for locale "${other.code}":`,
      expect.objectContaining({ message: `/${other.code}/_payload.json?one returned status 500` }),
    );
    expect(translations.has(other.code, 'home')).toBe(false);
    expect(translations.instance(other.code).t('title', { ns: 'home' })).toBe('title en');
  });
});

describe('the browser’s translations', () => {
  it('keep the first translations of a namespace', () => {
    const translations = createBrowserTranslations();
    translations.add('en', { home: { title: 'first' } });
    translations.add('en', { home: { title: 'second' } });
    expect(translations.instance('en').t('title', { ns: 'home' })).toBe('first');
  });

  it('are available in instances created before and after they were added', () => {
    const translations = createBrowserTranslations();
    const early = translations.instance(other.code);
    translations.add(other.code, { home: { title: 'Bonjour' } });
    translations.add(german.code, { home: { title: 'Guten Tag' } });
    expect(early.t('title', { ns: 'home' })).toBe('Bonjour');
    expect(translations.instance(german.code).t('title', { ns: 'home' })).toBe('Guten Tag');
  });
});

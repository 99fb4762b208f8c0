import { beforeEach, describe, expect, it, vi } from 'vitest';
import { loadWords } from '~/client/navigation/load-page.ts';
import { createPayloads } from '~/client/navigation/payloads.ts';
import { createBrowserWords } from '~/i18n/browser-words.ts';
import { defaultLocale, type Locale, parseLocale } from '~/i18n/locales.ts';
import { pageNamed } from '~/pages.ts';

const home = pageNamed('index');
const french = parseLocale('fr') as Locale;
const german = parseLocale('de') as Locale;

let asked: { address: string; cache: RequestCache | undefined }[];
let answer: (address: string) => Response;
const onOtherBuild = vi.fn();

const payload = (name: string, buildId = 'one') => ({
  buildId,
  messages: { common: { hello: `common ${name}` }, home: { title: `title ${name}`, description: 'd' } },
  head: { title: null, description: 'd' },
});

function create() {
  return createPayloads({
    buildId: () => 'one',
    fetch: async (address, init) => {
      asked.push({ address, cache: init?.cache });
      return answer(address);
    },
    onOtherBuild,
  });
}

beforeEach(() => {
  asked = [];
  answer = (address) => Response.json(payload(address.startsWith('/fr') ? 'fr' : 'en'));
});

describe('payloads', () => {
  it('are fetched once for a path, from the browser’s cache if it is there', async () => {
    const payloads = create();
    const [first, second] = await Promise.all([payloads.load(home, french), payloads.load(home, french)]);
    expect(await payloads.load(home, french)).toBe(first);
    expect(second).toBe(first);
    expect(asked).toEqual([{ address: '/fr/_payload.json?one', cache: 'force-cache' }]);
  });

  it('lie beside their pages', async () => {
    const payloads = create();
    await payloads.load(home, defaultLocale);
    await payloads.load(pageNamed('test-message'), defaultLocale);
    await payloads.load(pageNamed('test-message'), german);
    expect(asked.map(({ address }) => address)).toEqual([
      '/_payload.json?one',
      '/test-message/_payload.json?one',
      '/de/test-message/_payload.json?one',
    ]);
  });

  it('that failed are asked for again', async () => {
    const payloads = create();
    answer = () => new Response(null, { status: 503 });
    await expect(payloads.load(home, french)).rejects.toThrow('answered 503');
    answer = () => Response.json({ not: 'a payload' });
    await expect(payloads.load(home, french)).rejects.toThrow('not a payload');
    answer = () => Response.json(payload('fr'));
    await expect(payloads.load(home, french)).resolves.toMatchObject({ messages: { home: {} } });
  });

  it('of another build are refused and told', async () => {
    answer = () => Response.json(payload('fr', 'two'));
    await expect(create().load(home, french)).rejects.toThrow('build two');
    expect(onOtherBuild).toHaveBeenCalledOnce();
  });
});

describe('loading the words of a page', () => {
  it('loads those of the language, and on a switch those to fall back on', async () => {
    const words = createBrowserWords();
    await loadWords(home, german, false, { words, payloads: create() });
    expect(asked.map(({ address }) => address)).toEqual(['/de/_payload.json?one']);
    await loadWords(home, french, true, { words, payloads: create() });
    expect(
      asked
        .map(({ address }) => address)
        .slice(1)
        .sort(),
    ).toEqual(['/_payload.json?one', '/fr/_payload.json?one']);
    expect(words.instance('fr').t('title', { ns: 'home' })).toBe('title fr');
  });

  it('loads nothing that came with the document', async () => {
    const words = createBrowserWords();
    words.add('fr', payload('fr').messages);
    await loadWords(home, french, false, { words, payloads: create() });
    expect(asked).toEqual([]);
  });

  it('logs a failure and has the fallback’s words said', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    const words = createBrowserWords();
    words.instance('fr');
    answer = (address) =>
      address.startsWith('/fr') ? new Response(null, { status: 500 }) : Response.json(payload('en'));
    await loadWords(home, french, true, { words, payloads: create() });
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      'Failed to load messages for locale "fr":',
      expect.objectContaining({ message: '/fr/_payload.json?one answered 500' }),
    );
    expect(words.has('fr', 'home')).toBe(false);
    expect(words.instance('fr').t('title', { ns: 'home' })).toBe('title en');
  });
});

describe('the words of a browser', () => {
  it('keep the first that came for a namespace', () => {
    const words = createBrowserWords();
    words.add('en', { home: { title: 'first' } });
    words.add('en', { home: { title: 'second' } });
    expect(words.instance('en').t('title', { ns: 'home' })).toBe('first');
  });

  it('reach an instance that is there already, and one that comes later', () => {
    const words = createBrowserWords();
    const early = words.instance('fr');
    words.add('fr', { home: { title: 'Bonjour' } });
    words.add('de', { home: { title: 'Guten Tag' } });
    expect(early.t('title', { ns: 'home' })).toBe('Bonjour');
    expect(words.instance('de').t('title', { ns: 'home' })).toBe('Guten Tag');
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { locales } from '../../../app/i18n/locales.ts';
import { siteName } from '../../../app/site-name.ts';
import { openLocalizedPages } from '../../support/localized-pages.ts';
import { otherHome } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

/** A new site has no images until it takes its own. */
const FOLDER = 'app/share-images';
const stack = setUpStack();
const get = async (path: string) => (await stack.get(path)).body;

/** The content of each `<meta property>` and `<meta name>`. */
function metaOf(html: string): Map<string, string> {
  const tags = html.matchAll(/<meta (?:property|name)="([^"]+)" content="([^"]*)"/g);
  return new Map([...tags].map(([, name = '', content = '']) => [name, content]));
}

describe('every page that anyone may open, in every language,', () => {
  it('has the image of its language, 1200 by 630 pixels, which browsers may keep', async () => {
    for (const { path, locale } of openLocalizedPages) {
      const meta = metaOf(await get(path));
      if (!existsSync(FOLDER)) {
        expect(meta.get('og:image'), path).toBeUndefined();
        continue;
      }
      const address = new URL(meta.get('og:image') ?? '');
      expect(address.origin, path).toBe(stack.site.origin);
      const response = await fetch(address);
      expect(response.headers.get('content-type'), path).toBe('image/png');
      expect(response.headers.get('cache-control'), path).toBe('public, max-age=31536000, immutable');
      const image = Buffer.from(await response.arrayBuffer());
      // The first chunk of a PNG file is its header: width and height (PNG specification, section 11.2.1).
      expect([image.toString('latin1', 12, 16), image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([
        'IHDR',
        1200,
        630,
      ]);
      expect(image.equals(readFileSync(`${FOLDER}/${locale.code}.png`)), path).toBe(true);
      expect([meta.get('og:image:width'), meta.get('og:image:height')]).toEqual(['1200', '630']);
      expect(meta.get('og:image:alt'), path).not.toBe('');
      expect(meta.get('twitter:card')).toBe('summary_large_image');
    }
  });

  it('has structured data that names its language and address', async () => {
    for (const { page, locale, path } of openLocalizedPages) {
      const html = await get(path);
      const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
      expect(json, path).not.toContain('<');
      const data = JSON.parse(json);
      expect(data['@context']).toBe('https://schema.org');
      const site = { '@type': 'WebSite', name: siteName, url: `${stack.site.origin}/` };
      if (page.name === 'index') {
        expect(data).toMatchObject({ ...site, inLanguage: locales.map(({ iso }) => iso) });
      } else {
        const url = stack.site.origin + path;
        expect(data).toMatchObject({ '@type': 'WebPage', url, inLanguage: locale.iso, isPartOf: site });
      }
    }
  });
});

it('an error page has neither an image nor structured data', async () => {
  const html = await get('/nowhere');
  expect(metaOf(html).get('og:image')).toBeUndefined();
  expect(html).not.toContain('ld+json');
});

describe('a site with the address of its source code', () => {
  const source = 'https://code.example/</script><!--';
  const configured = setUpStack({ environment: { SOURCE_URL: source } });

  it('names it in the structured data of its home page, escaped', async () => {
    const { body } = await configured.get(otherHome);
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(body) ?? [];
    expect(json).not.toMatch(/[<>]/);
    const { subjectOf } = JSON.parse(json);
    expect(subjectOf['@type']).toBe('SoftwareSourceCode');
    expect(new URL(subjectOf.codeRepository).hostname).toBe('code.example');
  });
});

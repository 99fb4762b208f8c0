/** The links to source code, documentation and contact, with and without the variables that configure them. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { forThisSite } from '../../support/this-site.ts';

let configured: Stack;
let plain: Stack;

const SOURCE = 'https://github.com/ada/site';
const DOCS = 'https://docs.example/site';

beforeAll(async () => {
  configured = await startStack({
    environment: { SOURCE_URL: SOURCE, DOCS_URL: DOCS, PRIVACY_CONTACT: 'privacy@example.com' },
  });
  plain = await startStack();
}, 60_000);
afterAll(async () => {
  await configured.stop();
  await plain.stop();
});

async function get({ site }: Stack, path: string): Promise<string> {
  const response = await fetch(site.origin + path, { headers: { accept: 'text/html', cookie: 'locale=en' } });
  expect(response.status).toBe(200);
  return response.text();
}

/** The addresses of links that contain a `:`. */
const outsideLinks = (html: string) =>
  [...html.matchAll(/<a [^>]*href="([^"]*:[^"]*)"/g)].map(([, address = '']) => address);

/** The part of a document inside one element, by its opening tag. */
function inside(html: string, tag: 'main' | 'footer'): string {
  return html.slice(html.indexOf(`<${tag}`), html.indexOf(`</${tag}>`));
}

const textOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');

describe('with the variables', () => {
  it.each(forThisSite(['/', '/ar']))(
    '%s links to the source code, the file that it shows, and the documentation',
    async (path) => {
      const links = outsideLinks(inside(await get(configured, path), 'main'));
      expect(links).toEqual([SOURCE, DOCS, `${SOURCE}/blob/HEAD/app/server/request-steps.ts`]);
    },
  );

  it.each(forThisSite(['/privacy', '/ja/typography-demo']))(
    'the footer of %s links to them',
    async (path) => {
      const links = outsideLinks(inside(await get(configured, path), 'footer'));
      expect(links).toEqual([DOCS, SOURCE]);
    },
  );

  it('the privacy page names the contact', async () => {
    const main = inside(await get(configured, '/privacy'), 'main');
    expect(outsideLinks(main)).toEqual(['mailto:privacy@example.com']);
    expect(textOf(main)).toContain('contact privacy@example.com.');
  });
});

describe('without the variables', () => {
  it('the home page leads to its section with the commands', async () => {
    const main = inside(await get(plain, '/'), 'main');
    expect(outsideLinks(main)).toEqual([]);
    expect(main).toContain('href="#run"');
    expect(main).toContain('<section id="run"');
  });

  it('the footer names the license and links to those of all packages', async () => {
    const footer = inside(await get(plain, '/privacy'), 'footer');
    expect(outsideLinks(footer)).toEqual([]);
    expect(footer).toMatch(/<a href="\/licenses\.txt"[^>]*>MIT License<\/a>/);
    expect(footer).toContain('href="/privacy"');
  });

  it('the privacy page refers to the operator', async () => {
    const main = inside(await get(plain, '/privacy'), 'main');
    expect(outsideLinks(main)).toEqual([]);
    expect(textOf(main)).toContain('contact the operator of this site');
  });
});

describe('the section with the commands', () => {
  it('has the commands of the README', async () => {
    const main = inside(await get(plain, '/'), 'main');
    const shown = [...main.matchAll(/<code[^>]*>(npm [^<]+)<\/code>/g)].map(([, command = '']) => command);
    const [, block = ''] =
      /^## Two commands[\s\S]*?```sh\n([\s\S]*?)```/m.exec(readFileSync('README.md', 'utf8')) ?? [];
    const documented = block
      .trim()
      .split('\n')
      .map((line) => line.replace(/\s*#.*/, ''));
    expect(shown).toEqual(documented);
  });

  it('names the version of Node that package.json requires', async () => {
    const version = packageJson.engines.node.replace(/^>=|\.0$/g, '');
    for (const path of ['/', '/fr', '/ar', '/hi', '/ja'])
      expect((await get(plain, path)).replaceAll('\u00a0', ' ')).toContain(`Node ${version}`);
  });

  it('has the code of the file, character by character', async () => {
    const main = inside(await get(plain, '/'), 'main');
    const code = textOf(main.slice(main.indexOf('<pre'), main.indexOf('</pre>')));
    expect(code).toContain('export function createRequestSteps');
    expect(readFileSync('app/server/request-steps.ts', 'utf8')).toContain(code);
  });
});

it('pages with links are the same for all visitors, and are sent from memory', async () => {
  const [first, second] = await Promise.all(
    ['dark', 'dark'].map((theme) =>
      fetch(configured.site.origin, { headers: { cookie: `locale=en; theme=${theme}` } }),
    ),
  );
  expect(first?.headers.get('etag')).toMatch(/^W\/"/);
  expect(second?.headers.get('etag')).toBe(first?.headers.get('etag'));
});

/** What the home page says about the code: links, commands, and a file of it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { locales, localizePath } from '../../../../app/i18n/locales.ts';
import packageJson from '../../../../package.json' with { type: 'json' };
import { documentOf, inside, outsideLinks, textOf } from '../../../support/http/outside-links.ts';
import { type RunningStack, setUpStack } from '../../support/set-up-stack.ts';

const SOURCE = 'https://github.com/ada/site';
const DOCS = 'https://docs.example/site';
const paths = locales.map((locale) => localizePath('/', locale));

const configured = setUpStack({ environment: { SOURCE_URL: SOURCE, DOCS_URL: DOCS } });
const plain = setUpStack();

const mainOf = async (stack: RunningStack, path = '/') => inside(await documentOf(stack, path), 'main');

it.each(paths)('%s links to the source code, the file that it shows, and the documentation', async (path) => {
  const links = outsideLinks(await mainOf(configured, path));
  expect(links).toEqual([SOURCE, DOCS, `${SOURCE}/blob/HEAD/app/server/request-steps.ts`]);
});

it('without the variables leads to its section with the commands', async () => {
  const main = await mainOf(plain);
  expect(outsideLinks(main)).toEqual([]);
  expect(main).toContain('href="#run"');
  expect(main).toContain('<section id="run"');
});

describe('the section with the commands', () => {
  it('has the commands of the README', async () => {
    const main = await mainOf(plain);
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
    for (const path of paths)
      expect((await documentOf(plain, path)).replaceAll('\u00a0', ' ')).toContain(`Node ${version}`);
  });

  it('has the code of the file, character by character', async () => {
    const main = await mainOf(plain);
    const code = textOf(main.slice(main.indexOf('<pre'), main.indexOf('</pre>')));
    expect(code).toContain('export function createRequestSteps');
    expect(readFileSync('app/server/request-steps.ts', 'utf8')).toContain(code);
  });
});

/** Turns the clone into the site that was asked for. */
import { execFileSync } from 'node:child_process';
import { removeDeadLinks, shortenGuide, startDocuments } from './documents.ts';
import { removeLanguages } from './languages.ts';
import type { Clone, Options } from './options.ts';
import { removeHomePage, removePages } from './pages.ts';
import { changeTexts, writeTexts } from './texts.ts';
import { edit, editJson, type Json, read, remove, removeLines, write } from './tree.ts';

type HomeTexts = Record<'title' | 'description' | 'lead' | 'footer', string>;
type Package = {
  name: string;
  version: string;
  description: string;
  scripts: Record<string, string>;
  devDependencies: Record<string, string>;
};

/** Calls `step` before each part of the work. Throws when an edit does not fit the clone. */
export function makeSite(
  { name, languages, without, color }: Options,
  clone: Clone,
  step: (text: string) => void,
): void {
  const { version }: Package = JSON.parse(read('package.json'));
  const commit = git('rev-parse', '--short', 'HEAD').trim();
  const homePage = read('tools/new-site/home/home.tsx');
  const homeTexts: Record<string, HomeTexts> = JSON.parse(read('tools/new-site/home/texts.json'));

  step('Languages and pages');
  removeLanguages(clone.languages.map(({ code }) => code).filter((code) => !languages.includes(code)));
  removePages(without, clone.removablePages);

  step('Name and home page');
  removeHomePage();
  write('app/pages/home/home.tsx', homePage);
  writeHomeTexts(name, homeTexts);
  renameSite(name);
  changeBrand(color);

  step('Documents');
  // They show Tenfold.
  remove('app/share-images');
  // Only Tenfold needs this command.
  remove('tools/new-site');
  keepParts();
  startDocuments(name, { version, commit });
  shortenGuide(without);
  removeDeadLinks();

  step('Generated files');
  run('npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');
  run('npx', 'tsx', '--conditions=@tenfold/source', 'tools/build/write-generated-files.ts');
  run('npx', 'biome', 'check', '--write', '.');
}

/** Half circles: a neutral logo. */
const neutralLogo = `export const logo: readonly { color: 'primary' | 'secondary'; d: string }[] = [
  { color: 'primary', d: 'M15 4a12 12 0 0 0 0 24z' },
  { color: 'secondary', d: 'M17 4a12 12 0 0 1 0 24z' },
];
`;

function changeBrand(color: string): void {
  edit('app/brand/colors.ts', (text) => text.replace("primary: 'violet'", `primary: '${color}'`));
  edit('docs/make-it-yours.md', (text) => text.replace("-  primary: 'violet'", `-  primary: '${color}'`));
  edit('app/brand/logo.ts', (text) =>
    text.replace(/ Here an X.*\. \*\//, ' */').replace(/export const logo[\s\S]*/, neutralLogo),
  );
}

function writeHomeTexts(name: string, texts: Record<string, HomeTexts>): void {
  const textsOf = (language: string): HomeTexts => {
    const found = texts[language];
    if (!found) throw new Error(`The home page has no texts in ${language}.`);
    return found;
  };
  const named = (text: string) => text.replace('{name}', name);
  writeTexts('home', (language) => {
    const { title, description, lead } = textsOf(language);
    return { title: named(title), description: named(description), lead: named(lead) };
  });
  changeTexts('common', (common, language) => {
    (common.footer as Json).about = named(textsOf(language).footer);
  });
  editJson<Record<string, string[]>>('tests/fixtures/same-as-english.json', (exceptions) => {
    for (const [language, keys] of Object.entries(exceptions)) {
      exceptions[language] = keys.filter((key) => !key.startsWith('home:'));
    }
  });
}

function renameSite(name: string): void {
  for (const file of ['infra/template.yaml', 'infra/template-bucket.yaml'])
    edit(file, (text) => text.replace(/^(# The AWS side of |Description: )Tenfold/gm, `$1${name}`));
  edit('app/site-name.ts', (text) => text.replace("'Tenfold'", JSON.stringify(name)));
  const texts = git('ls-files', '-z', 'public/locales').split('\0');
  const kept = texts.filter((file) => file !== '').filter((file) => tryRead(file)?.includes('Tenfold'));
  for (const file of kept) edit(file, (text) => text.replaceAll('Tenfold', name));
  const packageName =
    name
      .toLowerCase()
      .normalize('NFKD')
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'site';
  for (const file of ['package.json', 'package-lock.json']) {
    edit(file, (text) => text.replace('"name": "tenfold"', `"name": "${packageName}"`));
  }
  editJson<Package>('package.json', (content) => {
    content.version = '0.1.0';
    content.description = name;
    delete content.scripts['new-site'];
    delete content.devDependencies['@clack/prompts'];
  });
  removeLines('tools/test.mjs', 'three new sites', 'newSites');
}

/** Lets knip accept the parts that pages and their tests are made of, although no page of the new site uses them all yet. */
function keepParts(): void {
  editJson<{ workspaces: { '.': { entry: string[] } } }>('knip.json', ({ workspaces: { '.': site } }) => {
    site.entry = site.entry.filter((pattern) => !pattern.includes('new-site'));
    site.entry.push('app/{client,components,i18n}/**/*.{ts,tsx}', 'tests/{e2e/,routes/,}support/**/*.ts');
  });
}

function tryRead(file: string): string | undefined {
  try {
    return read(file);
  } catch {
    return undefined;
  }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' });
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

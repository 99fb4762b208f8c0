import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const DECISIONS = 'docs/decisions';

/** Paths in the repository: below one of its folders, or with the extension of a source file. */
const SOURCE_PATH = /^(?:app|deploy|docs|packages|public|scripts|tests)\/|\.(?:ts|tsx|mjs|css|md)$/;

/** Folders that the build writes. */
const GENERATED = ['app/fonts/built', 'app/share-images'];

const documents = ['app', 'docs', 'packages']
  .flatMap((folder) => filesIn(folder, { recursive: true }))
  .concat(filesIn('.', { recursive: false }))
  .filter((file) => file.endsWith('.md'));
const records = readdirSync(DECISIONS).sort();

describe('links between documents', () => {
  it.each(documents)('lead to files that exist in %s', (document) => {
    const links = [...readFileSync(document, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target.replace(/#.*$/, ''))
      .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
    expect(links.filter((target) => !existsSync(join(dirname(document), target)))).toEqual([]);
  });
});

describe('paths in documents', () => {
  // The changelog names files that no longer exist.
  it.each(documents.filter((document) => document !== 'CHANGELOG.md'))('exist in %s', (document) => {
    const paths = [...readFileSync(document, 'utf8').matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => SOURCE_PATH.test(path) && !GENERATED.includes(path));
    const places = ['.', 'app/server', dirname(document)];
    expect(paths.filter((path) => !places.some((place) => existsSync(join(place, path))))).toEqual([]);
  });
});

describe('decision records', () => {
  it('are numbered consecutively', () => {
    expect(records.map((file) => Number(file.slice(0, 3)))).toEqual(records.map((_, index) => index + 1));
  });

  it.each(records)('have their number in the title: %s', (file) => {
    const title = new RegExp(`^# ${Number(file.slice(0, 3))}\\. \\S`);
    expect(readFileSync(join(DECISIONS, file), 'utf8')).toMatch(title);
  });

  it('are all in the index', () => {
    const index = readFileSync('docs/README.md', 'utf8');
    expect(records.filter((file) => !index.includes(`(decisions/${file})`))).toEqual([]);
  });
});

function filesIn(folder: string, { recursive }: { recursive: boolean }): string[] {
  return readdirSync(folder, { recursive, encoding: 'utf8' }).map((file) => join(folder, file));
}

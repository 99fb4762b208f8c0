/** Makes steps of tests/example, which docs/make-it-yours.md describes, in a copy of the repository. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const LOCALE = '{locale}';
const EDITS = 'edits.diff';

/**
 * Copies the files of each step, those of a folder `{locale}` once for each language, and makes its edits. Throws when the place of an
 * edit is not found.
 */
export function followExample(copy: string, ...steps: readonly string[]): void {
  for (const step of steps) {
    const folder = join('tests/example', step);
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile() && each.name !== EDITS)) {
      const source = join(entry.parentPath, entry.name);
      for (const target of filesOf(relative(folder, source), copy)) {
        mkdirSync(dirname(target), { recursive: true });
        cpSync(source, target);
      }
    }
    for (const change of readFileSync(join(folder, EDITS), 'utf8').split(/^--- /m).slice(1))
      edit(change, copy);
  }
}

/** The file at a path, or one for each locale. */
function filesOf(path: string, copy: string): string[] {
  if (!path.includes(LOCALE)) return [join(copy, path)];
  return readdirSync(join(copy, 'public/locales')).map((code) => join(copy, path.replace(LOCALE, code)));
}

/** Applies the differences of a file, which have no positions: `@@` separates them. */
function edit(change: string, copy: string): void {
  const [path = '', ...lines] = change.split('\n');
  for (const file of filesOf(path, copy)) {
    const changed = lines
      .join('\n')
      .split('@@\n')
      .reduce(
        (text, hunk) => {
          const kept = (sign: string) =>
            hunk
              .split('\n')
              .slice(0, -1)
              .filter((line) => !line.startsWith(sign))
              .map((line) => `${line.slice(1)}\n`)
              .join('');
          const before = kept('+');
          if (before === '' || !text.includes(before))
            throw new Error(`${file} does not contain:\n${before}`);
          return text.replace(before, () => kept('-'));
        },
        readFileSync(file, 'utf8'),
      );
    writeFileSync(file, changed);
  }
}

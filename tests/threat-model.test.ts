import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The rows of every table, each as its three cells. */
const rows = readFileSync('docs/threat-model.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!attack|input|what \|)/.test(line))
  .map((line) => line.slice(2, -2).split(' | '));

/** What a row says of tests: each file, and the names that are quoted after it. */
function proofsOf(cell: string): { file: string; titles: string[] }[] {
  return cell.split(/; (?=\[)/).map((proof) => {
    const [, file = '', quoted = ''] = /^\[[^\]]+\]\(\.\.\/([^)]+)\) (.+)$/.exec(proof) ?? [];
    return { file, titles: quoted.slice(1, -1).split('”; “') };
  });
}

describe('what the site is said to withstand', () => {
  it('is a list of some length', () => {
    expect(rows.length).toBeGreaterThan(60);
  });

  it.each(rows)('has a test of that name: %s', (_attack, answer = '', cell = '') => {
    expect(answer).not.toBe('');
    for (const { file, titles } of proofsOf(cell)) {
      expect(existsSync(join('.', file)), `${file} in ${cell}`).toBe(true);
      const source = readFileSync(file, 'utf8').replaceAll("\\'", "'");
      expect(titles.length).toBeGreaterThan(0);
      for (const title of titles) {
        expect(title).not.toBe('');
        expect(source, `“${title}” in ${file}`).toContain(title);
      }
    }
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** A row of docs/threat-model.md: `| T-001 | attack | response | [name](../tests/…), … |`. */
interface Row {
  id: string;
  attack: string;
  response: string;
  files: string[];
}

/** A comment `// threat-model: T-001, T-002` and the line of code below it. */
interface Tag {
  place: string;
  file: string;
  ids: string[];
  nextLine: string;
}

const rows = readFileSync('docs/threat-model.md', 'utf8').split('\n').filter(isRow).map(parseRow);
const tags = testFiles().flatMap(parseTags);

describe('docs/threat-model.md', () => {
  it('gives every row an id of its own, an attack and a response', () => {
    expect(rows.length).toBeGreaterThanOrEqual(72);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.filter(({ attack, response }) => !attack || !response)).toEqual([]);
  });

  it.each(rows)('links exactly the test files that carry $id', ({ id, files }) => {
    const carriers = tags.filter(({ ids }) => ids.includes(id)).map(({ file }) => file);
    expect(files.length).toBeGreaterThan(0);
    expect(files.toSorted()).toEqual([...new Set(carriers)].sort());
  });
});

describe('threat-model comments in the tests', () => {
  it('name only ids that the table contains', () => {
    const known = new Set(rows.map(({ id }) => id));
    const unknown = tags.filter(({ ids }) => ids.length === 0 || ids.some((id) => !known.has(id)));
    expect(unknown).toEqual([]);
  });

  it('stand directly above a test that runs', () => {
    const misplaced = tags.filter(
      ({ nextLine }) => !/^(it|test)(?!\.(skip|todo|fixme|fails)\b)[.(<`]/.test(nextLine),
    );
    expect(misplaced).toEqual([]);
  });
});

function isRow(line: string): boolean {
  return line.startsWith('| T-');
}

function parseRow(line: string): Row {
  const [id = '', attack = '', response = '', proofs = ''] = line.slice(2, -2).split(' | ');
  return {
    id,
    attack,
    response,
    files: [...proofs.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file = '']) => file),
  };
}

function testFiles(): string[] {
  return ['tests', 'packages', 'tools']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => /\.(test|spec)\.tsx?$/.test(file) && file !== 'tests/threat-model.test.ts');
}

/** A comment with no well-formed id has an empty list of ids, so that a typing mistake is reported. */
function parseTags(file: string): Tag[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    if (!line.includes('threat-model')) return [];
    const [, list] = /^\s*\/\/ threat-model: (T-\d{3}(?:, T-\d{3})*)$/.exec(line) ?? [];
    return [
      {
        place: `${file}:${index + 1}`,
        file,
        ids: list?.split(', ') ?? [],
        nextLine: lines[index + 1]?.trim() ?? '',
      },
    ];
  });
}

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { areas } from '../areas.ts';
import { compareSurvivors, type Mutant, parseSurvivors, type Survivor, scoreOf } from '../survivors.ts';

const source = `function isLong(text: string) {
  if (text.length > 3) return true;
  if (text.length > 3) return true;
  return false;
}
`;
const file = 'app/server/x.ts';

/** A mutant of a comparison in one of the two equal lines. */
const comparison = (line: 2 | 3, status: string, replacement = 'text.length >= 3'): Mutant => ({
  fileName: file,
  location: { start: { line, column: 7 }, end: { line, column: 22 } },
  replacement,
  status,
});
const body = (status: string): Mutant => ({
  fileName: file,
  location: { start: { line: 1, column: 31 }, end: { line: 5, column: 2 } },
  replacement: '{}',
  status,
});

const described = {
  file,
  line: 'if (text.length > 3) return true;',
  mutant: 'if (text.length >= 3) return true;',
};
const verdict = (changes: Partial<Survivor> = {}): Survivor => ({
  ...described,
  verdict: 'equivalent',
  reason: 'no text has three characters',
  ...changes,
});

const compare = (mutants: readonly Mutant[], verdicts: readonly Survivor[] = []) =>
  compareSurvivors(mutants, verdicts, () => source);

describe('the result of an area', () => {
  it('counts killed mutants and those that no longer end', () => {
    const result = compare([comparison(2, 'Killed'), body('Timeout')]);
    expect(result).toEqual({ mutants: 2, killed: 2, equivalent: 0, accepted: 0, unjudged: [], outdated: [] });
  });

  it('leaves out mutants that do not run', () => {
    expect(compare([comparison(2, 'CompileError'), body('RuntimeError'), body('Ignored')]).mutants).toBe(0);
  });

  it('names survivors without a verdict, by their line before and after', () => {
    expect(compare([comparison(2, 'Survived')]).unjudged).toEqual([described]);
    expect(compare([body('NoCoverage')]).unjudged).toEqual([
      { file, line: 'function isLong(text: string) { … }', mutant: 'function isLong(text: string) {}' },
    ]);
  });

  it('counts survivors by their verdict', () => {
    const mutants = [comparison(2, 'Survived'), comparison(3, 'Survived', 'true')];
    const result = compare(mutants, [
      verdict(),
      verdict({ mutant: 'if (true) return true;', verdict: 'accepted' }),
    ]);
    expect(result).toMatchObject({ killed: 0, equivalent: 1, accepted: 1, unjudged: [], outdated: [] });
  });

  it('needs one verdict for each of two equal mutants', () => {
    const mutants = [comparison(2, 'Survived'), comparison(3, 'Survived')];
    expect(compare(mutants, [verdict()]).unjudged).toEqual([described]);
    expect(compare(mutants, [verdict(), verdict()]).unjudged).toEqual([]);
  });

  it('names verdicts about mutants that a test kills or that do not exist', () => {
    expect(compare([comparison(2, 'Killed')], [verdict()]).outdated).toEqual([verdict()]);
    const other = verdict({ file: 'app/server/y.ts' });
    expect(compare([comparison(2, 'Survived')], [verdict(), other]).outdated).toEqual([other]);
  });
});

describe('the score', () => {
  it('leaves out equivalent mutants, unlike the raw score', () => {
    expect(scoreOf({ mutants: 10, killed: 8, equivalent: 2 })).toEqual({ raw: 0.8, adjusted: 1 });
  });
});

describe('the areas', () => {
  it('name files that exist, each in one area', () => {
    const sources = areas.flatMap((area) => area.sources);
    expect(sources.toSorted()).toEqual([...new Set(sources)].sort());
    const missing = areas
      .flatMap((area) => [...area.sources, ...area.tests])
      .filter((name) => !existsSync(name));
    expect(missing).toEqual([]);
  });

  it('use tests that start no other process', () => {
    const tests = areas.flatMap((area) => area.tests);
    const starting = tests.filter((test) => /support\/processes\//.test(readFileSync(test, 'utf8')));
    expect(starting).toEqual([]);
  });
});

describe('security/mutation.json', () => {
  const survivors = parseSurvivors(readFileSync('security/mutation.json', 'utf8'));

  it('is about lines that exist in files of an area', () => {
    const sources = areas.flatMap((area) => area.sources);
    const oneLine = (code: string) => code.replace(/\s+/g, ' ').trim();
    const missing = survivors.filter(({ file: name, line }) => {
      const [first = ''] = line.split(' … ');
      return !sources.includes(name) || !readFileSync(name, 'utf8').split('\n').map(oneLine).includes(first);
    });
    expect(missing).toEqual([]);
  });

  it('is rejected with a short reason or another verdict', () => {
    const text = (survivor: object) => JSON.stringify({ $comment: 'x', survivors: [survivor] });
    expect(parseSurvivors(text(verdict()))).toEqual([verdict()]);
    expect(() => parseSurvivors(text({ ...verdict(), reason: 'obvious' }))).toThrow();
    expect(() => parseSurvivors(text({ ...verdict(), verdict: 'unknown' }))).toThrow();
  });
});

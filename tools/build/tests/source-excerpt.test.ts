import { readFileSync } from 'node:fs';
import { sourceExcerpt } from 'virtual:source-excerpt';
import { describe, expect, it } from 'vitest';
import { cutFunction, tokenize } from '../vite-plugins/source-excerpt.ts';

const textOf = (tokens: readonly (string | readonly [string, string])[]) =>
  tokens.map((token) => (typeof token === 'string' ? token : token[1])).join('');

describe('the code on the home page', () => {
  it('is a part of its file, character by character', () => {
    const code = textOf(sourceExcerpt.tokens);
    expect(readFileSync(sourceExcerpt.path, 'utf8')).toContain(`\n${code}\n`);
    expect(code).toMatch(/^\/\*\* [\s\S]+\nexport function createRequestSteps\([\s\S]+\n\}$/);
  });

  it('has colors for comments, keywords and names', () => {
    const kinds = sourceExcerpt.tokens.flatMap((token) => (typeof token === 'string' ? [] : [token[0]]));
    expect(new Set(kinds)).toEqual(new Set(['comment', 'keyword', 'name']));
  });
});

describe('a function cut from a file', () => {
  const source = `/** About the file. */
import a from 'a';

/** Adds. */
export function add() {
  return { a, b: 1 };
}

export function plain() {
}
`;

  it('includes the comment above it and nothing else', () => {
    expect(cutFunction(source, 'add', 'x.ts')).toBe(
      '/** Adds. */\nexport function add() {\n  return { a, b: 1 };\n}',
    );
    expect(cutFunction(source, 'plain', 'x.ts')).toBe('export function plain() {\n}');
  });

  it('fails the build if the file does not have it', () => {
    expect(() => cutFunction(source, 'remove', 'x.ts')).toThrow(
      'x.ts has no function remove, which the home page shows.',
    );
  });

  it('fails the build if it is too long for the page', () => {
    const long = `export function long() {\n${'  step();\n'.repeat(17)}}\n`;
    expect(() => cutFunction(long, 'long', 'x.ts')).toThrow(
      'long in x.ts has 19 lines: the home page shows at most 18.',
    );
  });
});

describe('tokens', () => {
  it('do not take a part of a name for a keyword, or a keyword for a name', () => {
    expect(tokenize('returned = function (')).toEqual(['returned = ', ['keyword', 'function'], ' (']);
  });
});

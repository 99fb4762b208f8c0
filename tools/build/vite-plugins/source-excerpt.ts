/** A Vite plugin that provides the code of a function of this repository, which the home page shows. */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const MODULE = 'virtual:source-excerpt';
const RESOLVED = `\0${MODULE}`;

const PATH = 'app/server/request-steps.ts';
const FUNCTION = 'createRequestSteps';
const MAX_LINES = 18;

/** The code between two tokens with a color, or such a token. */
type CodeToken = string | readonly ['comment' | 'keyword' | 'name', string];

const COLORED =
  /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<keyword>\b(?:const|export|function|return)\b)|(?<name>\w+(?=\())/g;

/** Provides `virtual:source-excerpt`: the path of the file, and the tokens of the function. */
export function sourceExcerpt(): Plugin {
  return {
    name: 'tenfold:source-excerpt',
    resolveId: (id) => (id === MODULE ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null;
      const source = readFileSync(PATH, 'utf8').replaceAll('\r\n', '\n');
      const tokens = tokenize(cutFunction(source, FUNCTION, PATH));
      return `export const sourceExcerpt = ${JSON.stringify({ path: PATH, tokens })};`;
    },
  };
}

/**
 * The exported function with this name, from the comment above it to its last brace. Throws when the file has no such
 * function, or when the function is too long for the page.
 */
export function cutFunction(source: string, name: string, path: string): string {
  const start = source.search(
    new RegExp(`(?:^/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)?^export function ${name}\\b`, 'm'),
  );
  const end = source.indexOf('\n}\n', start);
  if (start === -1 || end === -1)
    throw new Error(`${path} has no function ${name}, which the home page shows.`);
  const code = source.slice(start, end + '\n}'.length);
  const lines = code.split('\n').length;
  if (lines <= MAX_LINES) return code;
  throw new Error(`${name} in ${path} has ${lines} lines: the home page shows at most ${MAX_LINES}.`);
}

/** Splits code into tokens. Joined, their texts are the code. */
export function tokenize(code: string): CodeToken[] {
  const tokens: CodeToken[] = [];
  let end = 0;
  for (const { index, 0: text, groups = {} } of code.matchAll(COLORED)) {
    const kind = (['comment', 'keyword', 'name'] as const).find((group) => groups[group] !== undefined);
    if (index > end) tokens.push(code.slice(end, index));
    tokens.push(kind ? [kind, text] : text);
    end = index + text.length;
  }
  return [...tokens, code.slice(end)].filter((token) => token !== '');
}

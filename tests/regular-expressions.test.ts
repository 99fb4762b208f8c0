import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';

const eslint = new ESLint();

/** Returns the rules that the configuration of `npm run lint` finds violated. */
async function violatedRules(source: string, filePath: string): Promise<(string | null)[]> {
  const results = await eslint.lintText(source, { filePath });
  return results.flatMap(({ messages }) => messages.map(({ ruleId }) => ruleId));
}

describe('the linter rejects a regular expression that takes quadratic time', () => {
  it.each([
    [
      'a search for long words with a digit',
      String.raw`/(?=[\w-]*\d)[\w-]{24,}/g`,
      'regexp/no-super-linear-move',
    ],
    ['a search for the spaces at the end', String.raw`/\s+$/`, 'regexp/no-super-linear-move'],
    ['two quantifiers for the same letters', '/^a*a*$/', 'regexp/no-super-linear-backtracking'],
    ['nested quantifiers', '/^(?:a+)+$/', 'regexp/no-super-linear-backtracking'],
    ['a constructor', "new RegExp('^(?:a+)+$')", 'regexp/no-super-linear-backtracking'],
  ])('in %s', async (_, expression, rule) => {
    expect(await violatedRules(`export const found = ${expression};`, 'app/server/site.ts')).toContain(rule);
  });

  it.each(['app/root.tsx', 'app/i18n/locales.ts', 'packages/local-cloud/main.ts', 'server.ts'])(
    'in %s',
    async (path) => {
      const source = String.raw`export const found = /\s+$/ as RegExp;`;
      expect(await violatedRules(source, path)).toEqual(['regexp/no-super-linear-move']);
    },
  );
});

it('the linter accepts regular expressions that take linear time', async () => {
  const source = String.raw`export const found = [/(?<![\w-])[\w-]{24,}/g, /^[\w-]+$/, /(?<!\/)\/+$/, /^(?:ab)+$/];`;
  expect(await violatedRules(source, 'app/server/site.ts')).toEqual([]);
});

import { ESLint } from 'eslint';
import { expect, it } from 'vitest';

const eslint = new ESLint();

/** Returns the rules that the configuration of `npm run lint` finds violated. */
async function violatedRules(source: string, filePath: string): Promise<(string | null)[]> {
  const results = await eslint.lintText(source, { filePath });
  return results.flatMap(({ messages }) => messages.map(({ ruleId }) => ruleId));
}

it.each(['app/root.tsx', 'app/i18n/locales.ts', 'packages/local-cloud/src/start.ts', 'server.ts'])(
  'the linter rejects regular expressions that take quadratic time in %s',
  async (path) => {
    const source = String.raw`export const found = [/\s+$/ as RegExp, /^(?:a+)+$/];`;
    expect(await violatedRules(source, path)).toEqual([
      'regexp/no-super-linear-move',
      'regexp/no-super-linear-backtracking',
    ]);
  },
);

it('the linter accepts regular expressions that take linear time', async () => {
  const source = String.raw`export const found = [/(?<![\w-])[\w-]{24,}/g, /^[\w-]+$/, /(?<!\/)\/+$/, /^(?:ab)+$/];`;
  expect(await violatedRules(source, 'app/server/site.ts')).toEqual([]);
});

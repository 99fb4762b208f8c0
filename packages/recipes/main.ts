/**
 * Performs the recipes of docs/make-it-yours.md in copies of the repository: `npm run recipes -- [name ...]`. Each copy
 * must pass types, lint, build and tests, and its running site must show the effect.
 * Without names, two copies are made. The second one is for the recipes that remove a part of the code: only tests that
 * do not use the part are run.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyRepository, removeCopy } from '../../scripts/setup/repository-copy.ts';
import { applyRecipe } from './apply.ts';
import { allBatches, withNeeded } from './batches.ts';
import type { Recipe } from './recipe.ts';
import { removals } from './removals.ts';
import { runInCopy, step } from './steps.ts';

const linted = [
  'app',
  'infra',
  'packages/site-build',
  'packages/local-cloud',
  'public',
  'remix.config.js',
  'vite.config.ts',
];
/** The unit tests of `npm test`, those of packages that work with what recipes change, and the route tests of pages. */
const allTests = [
  ...readdirSync('tests').flatMap((name) => (name.endsWith('.test.ts') ? `tests/${name}` : [])),
  'tests/unit/',
  'tests/routes/pages/',
  'packages/aws/tests/template.test.ts',
  'packages/local-cloud/tests/appsync/',
  'packages/operations/tests/doctor/account.test.ts',
  'packages/recipes/',
  'packages/site-build/',
  'packages/texts/',
  'packages/typography/',
];
/** Tests that do not use the parts that are removed. */
const testsAfterRemovals = [
  'tests/architecture.test.ts',
  'tests/locales.test.ts',
  'tests/unit/server/http/response-head.test.ts',
  'tests/unit/server/rendering',
  'tests/unit/i18n',
  'packages/aws/tests/template.test.ts',
];
const projects = ['--project', 'unit', '--project', 'tools', '--project', 'one machine'];
const names = process.argv.slice(2);
const batches = names.length === 0 ? allBatches : [withNeeded(names)];

for (const batch of batches) await perform(batch);

async function perform(batch: readonly Recipe[]): Promise<void> {
  const copy = copyRepository();
  try {
    for (const recipe of batch) {
      await step(recipe.title, () => applyRecipe(copy, recipe));
    }
    const run = (program: string, ...args: string[]) => runInCopy(copy, program, args);
    await run('tsx', 'packages/texts/text-types.ts');
    await run('tsx', 'packages/texts/review.ts', 'all');
    await run('tsx', 'packages/site-build/shared-caches/main.ts');
    await step('Format and lint', async () => {
      await run('biome', 'check', '--write', '--error-on-warnings', ...linted);
      await run('eslint', 'infra/resolvers');
    });
    // The guide says that the tests of a removed part have to be changed by hand.
    const hasRemovals = batch.some((recipe) => removals.includes(recipe));
    if (hasRemovals) excludeTests(copy);
    await Promise.all([
      step('Types', () => run('npm', 'run', '--silent', 'types')),
      step('Build', () => run('remix', 'vite:build', '--logLevel', 'warn')),
    ]);
    await step('Tests', () =>
      run('vitest', 'run', ...projects, ...(hasRemovals ? testsAfterRemovals : allTests)),
    );
    // In the copy, because tsx compiles files outside the project differently.
    await step('Running site', () =>
      run('tsx', 'packages/recipes/check-site.ts', ...batch.map(({ name }) => name)),
    );
  } finally {
    removeCopy(copy);
  }
}

/** Limits the check of types in a copy to the site without its tests. */
function excludeTests(copy: string): void {
  const path = join(copy, 'tsconfig.json');
  const include = ['app', 'server.ts', 'vite.config.ts', 'packages/local-cloud', 'packages/*/*/*.d.ts'];
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), include }));
}

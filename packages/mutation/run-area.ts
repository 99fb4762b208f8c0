/** Runs Stryker for one area. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import type { Area } from './areas.ts';
import type { Mutant } from './survivors.ts';

/** Folders that no test of an area reads. They are not copied into the sandbox. */
const NOT_COPIED = ['build', 'docs', 'deploy', 'test-results', 'tests/e2e', '.cache'];

/**
 * Returns every mutant of the area with its status. The tests run in a copy of the repository, in `.stryker-tmp`. A page
 * with all mutants is written to `reports/mutation`. With `onlyChanged`, mutants keep the status of the last run there if
 * neither their code nor their tests have changed.
 */
export async function runArea({ name, sources }: Area, { onlyChanged = false } = {}): Promise<Mutant[]> {
  // The worker processes inherit it.
  process.env.MUTATION_AREA = name;
  const lastRun = `reports/mutation/${name}.json`;
  if (onlyChanged && existsSync(lastRun)) forgetSurvivors(lastRun);
  const mutants = await new Stryker({
    mutate: [...sources],
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: 'packages/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    // Many tests wait for timers and sockets.
    concurrency: 3 * availableParallelism(),
    incremental: true,
    incrementalFile: lastRun,
    force: !onlyChanged,
    timeoutMS: 20_000,
    disableTypeChecks: false,
    ignorePatterns: NOT_COPIED.map((folder) => `/${folder}`),
    reporters: ['progress-append-only', 'html'],
    htmlReporter: { fileName: `reports/mutation/${name}.html` },
    cleanTempDir: 'always',
  }).runMutationTest();
  return mutants.map((mutant) => ({ ...mutant, fileName: relative(process.cwd(), mutant.fileName) }));
}

type LastRun = { files: Record<string, { mutants: { status: string; static?: boolean }[] }> };

/**
 * Removes the survivors in code that runs when a file is loaded from the result of the last run. Stryker does not know which
 * tests are about them, and would keep them although a test was added.
 */
function forgetSurvivors(lastRun: string): void {
  const result: LastRun = JSON.parse(readFileSync(lastRun, 'utf8'));
  for (const file of Object.values(result.files)) {
    file.mutants = file.mutants.filter((mutant) => !mutant.static || mutant.status !== 'Survived');
  }
  writeFileSync(lastRun, JSON.stringify(result));
}

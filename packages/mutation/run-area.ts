/** Runs Stryker for one area. */
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import type { Area } from './areas.ts';
import type { Mutant } from './survivors.ts';

/** Folders that no test of an area reads. They are not copied into the sandbox. */
const NOT_COPIED = ['build', 'docs', 'deploy', 'test-results', 'tests/e2e', '.cache'];

/**
 * Returns every mutant of the area with its status. The tests run in a copy of the repository, in `.stryker-tmp`. A page
 * with all mutants is written to `reports/mutation`.
 */
export async function runArea({ name, sources }: Area): Promise<Mutant[]> {
  // The worker processes inherit it.
  process.env.MUTATION_AREA = name;
  const mutants = await new Stryker({
    mutate: [...sources],
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: 'packages/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    // Many tests wait for timers and sockets.
    concurrency: 3 * availableParallelism(),
    timeoutMS: 20_000,
    disableTypeChecks: false,
    ignorePatterns: NOT_COPIED.map((folder) => `/${folder}`),
    reporters: ['progress-append-only', 'html'],
    htmlReporter: { fileName: `reports/mutation/${name}.html` },
    cleanTempDir: 'always',
  }).runMutationTest();
  return mutants.map((mutant) => ({ ...mutant, fileName: relative(process.cwd(), mutant.fileName) }));
}

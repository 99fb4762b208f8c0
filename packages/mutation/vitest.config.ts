/** The configuration of Vitest for `npm run mutation`: only the tests of the area that MUTATION_AREA names. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { areas } from './areas.ts';

const area = areas.find(({ name }) => name === process.env.MUTATION_AREA);

/** Runs the test files in the order of their area. The first test that fails ends the run of a mutant. */
class InOrderOfArea extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) =>
      area?.tests.findIndex((test) => moduleId.endsWith(test)) ?? 0;
    return files.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  resolve: { alias: { '~': fileURLToPath(new URL('../../app', import.meta.url)) } },
  test: {
    include: [...(area?.tests ?? [])],
    setupFiles: [
      fileURLToPath(new URL('../../tests/support/setup/fail-on-console-error.ts', import.meta.url)),
    ],
    restoreMocks: true,
    sequence: { sequencer: InOrderOfArea },
    env: { SITE_TOPOLOGY: 'one machine' },
    // A mutant that never responds fails the test that waits for it, before Stryker has to restart the worker.
    testTimeout: 10_000,
  },
});

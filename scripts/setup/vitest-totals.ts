/** A reporter for vitest that writes the totals and the failures of a run to the file that TOTALS_FILE names. */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export default class VitestTotals implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    const pathOf = ({ moduleId }: TestModule) => relative(process.cwd(), moduleId);
    const failures = [
      ...inState('failed').map((test) => `${pathOf(test.module)} › ${test.fullName}`),
      ...modules.flatMap((module) => module.errors().map(({ message }) => `${pathOf(module)} › ${message}`)),
      ...unhandledErrors.map(({ stack, message }) => `An error outside of a test: ${stack ?? message}`),
    ];
    const totals = { passed: inState('passed').length, skipped: inState('skipped').length, failures };
    writeFileSync(process.env.TOTALS_FILE ?? '', JSON.stringify(totals));
  }
}

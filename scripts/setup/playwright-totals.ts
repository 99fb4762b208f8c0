/** A reporter for Playwright that writes the totals and the failures of a run to the file that TOTALS_FILE names. */
import { writeFileSync } from 'node:fs';
import type { FullConfig, Reporter, Suite, TestCase, TestError } from '@playwright/test/reporter';

export default class PlaywrightTotals implements Reporter {
  #tests: TestCase[] = [];
  #errors: string[] = [];

  /** The list reporter stays the one that prints. */
  printsToStdio() {
    return false;
  }

  onBegin(_config: FullConfig, suite: Suite) {
    this.#tests = suite.allTests();
  }

  onError({ stack, message }: TestError) {
    this.#errors.push(`An error outside of a test: ${stack ?? message}`);
  }

  onEnd() {
    const withOutcome = (...outcomes: string[]) =>
      this.#tests.filter((test) => outcomes.includes(test.outcome()));
    // A test that passes only when it is repeated counts as failed.
    const failed = withOutcome('unexpected', 'flaky');
    const failures = [...failed.map((test) => test.titlePath().filter(Boolean).join(' › ')), ...this.#errors];
    const totals = {
      passed: withOutcome('expected').length,
      skipped: withOutcome('skipped').length,
      failures,
    };
    writeFileSync(process.env.TOTALS_FILE ?? '', JSON.stringify(totals));
  }
}

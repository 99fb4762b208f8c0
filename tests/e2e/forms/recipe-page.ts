/** Tests of a page with a form, made and built as tests/example has it. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { followExample } from '../../../tools/setup/example.ts';
import { copyRepository } from '../../../tools/setup/repository-copy.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { test as base } from '../support/fixtures.ts';

export const test = base.extend<object, { stack: Stack }>({
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a pattern
    async ({}, use) => {
      const directory = copyRepository();
      followExample(directory, 'notes');
      execFileSync('npm', ['run', 'build'], { cwd: directory, stdio: 'pipe' });
      const stack = await startStack({ directory, environment: { RATE_LIMIT_SCALE: '25' } });
      await use(stack);
      await stack.stop();
      rmSync(directory, { recursive: true });
    },
    { scope: 'worker', timeout: 600_000 },
  ],
});

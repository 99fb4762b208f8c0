/**
 * Makes sites in copies of the repository and checks each: `npm run new-site:check -- [name ...]`. Its owner gets tests that
 * pass, so none of them may name a language or a page that the site does not have.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyRepository, removeCopy } from '../../../scripts/setup/repository-copy.ts';
import { runInCopy, step } from '../../recipes/steps.ts';

type Site = {
  name: string;
  options: readonly string[];
  /** Arguments of Vitest. */
  tests: readonly string[];
};

const everything = ['--project=unit', '--project=one machine'];
/** Without the tests that take longest, whose subjects are the same in every site. */
const mostly = [
  ...everything,
  '--exclude=tests/routes/{process,security}/**',
  '--exclude=packages/{bench,local-cloud,operations}/**',
];

const sites: readonly Site[] = [
  {
    name: 'Harbor',
    options: ['--languages=en,de,fr', '--without=typography-demo', '--color=#0f766e'],
    tests: mostly,
  },
  // As small as possible: two languages, one of them from right to left.
  { name: 'Bay', options: ['--languages=en,ar', '--without=test-message,privacy'], tests: everything },
  { name: 'Cove', options: ['--without=test-message,typography-demo,privacy'], tests: mostly },
];

const names = process.argv.slice(2);
const unknown = names.filter((name) => !sites.some((site) => site.name === name));
if (unknown.length > 0) throw new Error(`Unknown: ${unknown}. Known: ${sites.map(({ name }) => name)}`);

for (const site of sites) if (names.length === 0 || names.includes(site.name)) await check(site);

async function check({ name, options, tests }: Site): Promise<void> {
  process.stdout.write(`${name} ${options.join(' ')}\n`);
  const copy = copyRepository();
  const run = (program: string, ...args: string[]) => runInCopy(copy, program, args);
  try {
    commit(copy);
    await step('New site', () =>
      run('tsx', 'packages/new-site/src/main.ts', `--name=${name}`, ...options, '--yes'),
    );
    await step('Types', () => run('npm', 'run', '--silent', 'types'));
    await step('Lint', () => run('npm', 'run', '--silent', 'lint'));
    await step('Build', () => run('npm', 'run', '--silent', 'build'));
    await step('Tests', () => run('vitest', 'run', ...tests));
  } finally {
    removeCopy(copy);
  }
}

/** Makes the copy a repository of its own: the command needs one without changes. */
function commit(copy: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: copy, stdio: 'pipe' });
  git('init', '--quiet');
  // A folder in the repository, and a link in the copy.
  appendFileSync(join(copy, '.git/info/exclude'), 'node_modules\n');
  git('add', '--all');
  git('-c', 'user.name=check', '-c', 'user.email=check@example.com', 'commit', '--quiet', '--message=Copy');
}

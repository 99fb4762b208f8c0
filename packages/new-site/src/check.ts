/**
 * Makes sites in copies of the repository and runs `npm test` in each: `npm run new-site:check -- [name ...]`. Its owner gets
 * tests that pass, so none of them may name a language or a page that the site does not have.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { copyRepository, removeCopy } from '../../../scripts/setup/repository-copy.ts';
import { runInCopy, step } from '../../recipes/steps.ts';

const sites: Readonly<Record<string, readonly string[]>> = {
  Harbor: ['--languages=en,de,fr', '--without=typography-demo', '--color=#0f766e'],
  // As small as possible: two languages, one of them from right to left.
  Bay: ['--languages=en,ar', '--without=test-message,privacy'],
  Cove: ['--without=test-message,typography-demo,privacy'],
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in sites));
if (unknown.length > 0) throw new Error(`Unknown: ${unknown}. Known: ${Object.keys(sites)}`);

for (const [name, options] of Object.entries(sites)) {
  if (names.length === 0 || names.includes(name)) await check(name, options);
}

async function check(name: string, options: readonly string[]): Promise<void> {
  process.stdout.write(`${name} ${options.join(' ')}\n`);
  const copy = copyRepository();
  try {
    commit(copy);
    const command = ['packages/new-site/src/main.ts', `--name=${name}`, ...options, '--yes'];
    await step('npm run new-site', () => runInCopy(copy, 'tsx', command));
    // `npm test` installs packages when the lock file is newer than they are. The copy uses those of the repository.
    utimesSync(join(copy, 'package-lock.json'), 0, 0);
    await step('npm test', () => runInCopy(copy, 'npm', ['test']));
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

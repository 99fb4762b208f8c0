/**
 * Makes sites in copies of the repository and runs `npm test` in each; arguments select some by name. The owner of a new
 * site gets tests that pass, so none of them may name a language or a page that the site does not have.
 */
import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { followExample } from '../setup/example.ts';
import { copyRepository } from '../setup/repository-copy.ts';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const runFile = promisify(execFile);

const sites: Readonly<Record<string, readonly string[]>> = {
  Harbor: ['--languages=en,de,fr', '--without=typography-demo,live', '--color=#0f766e'],
  // As small as possible: two languages, one of them from right to left.
  Bay: ['--languages=en,ar', '--without=test-message,privacy,account'],
  Cove: ['--without=test-message,typography-demo,privacy'],
};

/** The types that are added to a site. */
const types: Readonly<Record<string, readonly string[]>> = {
  Harbor: ['Recipe', 'title:string', 'minutes:int?', '--owner', '--group=admins', '--expires=90d'],
  Bay: ['Task', 'done:boolean', 'due:datetime?', 'hours:float?'],
  Cove: ['Recipe', 'title:string', '--owner'],
};

/** The site that follows docs/make-it-yours.md further. */
const EXAMPLE = 'Harbor';
const exampleSteps = ['about', 'item', 'notes', 'contact', 'rule', 'picture', 'clock', 'memory-peak'];

/** The site that removes the messages from the API too, as its guide says. */
const WITHOUT_MESSAGES = 'Cove';

/** What the reader of the guide adds. */
const OF_THE_READER = /recipes|record-form\.server|infra\/seed\.json/;

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
    const command = ['tools/new-site/main.ts', `--name=${name}`, ...options, '--yes'];
    await runInCopy(copy, join('node_modules', '.bin', 'tsx'), command);
    const type = types[name];
    if (type) await runInCopy(copy, 'npm', ['run', '--silent', 'new-type', '--', ...type]);
    if (name === EXAMPLE) followExample(copy, ...exampleSteps);
    if (name === WITHOUT_MESSAGES) await removeMessagesFromApi(copy);
    checkDocuments(copy);
    await runInCopy(copy, 'npm', ['run', '--silent', 'format']);
    // `npm test` installs packages when the lock file is newer than they are. The copy uses those of the repository.
    utimesSync(join(copy, 'package-lock.json'), 0, 0);
    await runInCopy(copy, 'npm', ['test']);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Runs the commands of the guide, and writes the file that it shows. */
async function removeMessagesFromApi(copy: string): Promise<void> {
  const guide = readFileSync(join(copy, 'docs/make-it-yours.md'), 'utf8');
  const [, section = ''] = guide.split('## Remove the messages from the API\n');
  const [, commands = '', , diff = ''] = section.split(/^```(?:sh|diff)?\n/m);
  await runInCopy(copy, 'bash', ['-ec', commands]);
  const lines = diff.split('\n').filter((line) => line.startsWith('+'));
  const file = join(copy, 'tests/support/http/shipped-operations.ts');
  writeFileSync(file, lines.map((line) => `${line.slice(1)}\n`).join(''));
}

/** Throws when a document of the site names or links a file or folder that the site does not have. */
function checkDocuments(copy: string): void {
  const packages = readdirSync(join(copy, 'packages')).map((name) => `packages/${name}`);
  for (const folder of ['.', 'docs', 'tools', ...packages]) {
    for (const file of readdirSync(join(copy, folder))) {
      if (!file.endsWith('.md')) continue;
      const document = join(folder, file);
      const missing = pathsIn(document, readFileSync(join(copy, document), 'utf8')).filter(
        (path) => !existsSync(join(copy, path)),
      );
      if (missing.length > 0) throw new Error(`${document} names what does not exist: ${missing.join(', ')}`);
    }
  }
}

/** The paths between backticks and the targets of links, from the root of the site. */
function pathsIn(document: string, text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  const named = [...prose.matchAll(/`((?:app|deploy|docs|infra|packages|public|tests|tools)\/[\w./-]+)`/g)]
    .map(([, path = '']) => path)
    // In the README of a library, `app` is the folder of the app that uses it.
    .filter((path) => !document.startsWith('packages') || !path.startsWith('app'));
  const linked = [...prose.matchAll(/\]\(([^)#\s]+)/g)]
    .filter(([, target = '']) => !/^[a-z]+:/.test(target))
    .map(([, target = '']) => join(dirname(document), target));
  return [...named, ...linked].filter((path) => !OF_THE_READER.test(path));
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

/** Runs a program in the copy. Prints its output and rejects when it fails. */
async function runInCopy(copy: string, program: string, args: readonly string[]): Promise<void> {
  try {
    await runFile(program, args, { cwd: copy, maxBuffer: MAX_OUTPUT_BYTES });
  } catch (error) {
    const { stdout = '', stderr = '' } = error instanceof Error ? { stdout: '', stderr: '', ...error } : {};
    process.stdout.write(`${stdout}\n${stderr}\n`);
    throw new Error(`${program} ${args.join(' ')} failed`);
  }
}

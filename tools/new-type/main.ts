/** The command `npm run new-type`: adds a type to the data API, with a page, permissions and tests. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'graphql';
import { pages } from '../../app/pages.ts';
import { type Changes, changesFor } from './changes.ts';
import { help, parseType } from './options.ts';
import type { RecordType } from './record-type.ts';
import { groupRoles } from './template-yaml.ts';
import { namesInTemplates } from './templates.ts';

const TEXT_TYPES = 'app/i18n/texts.generated.ts';

try {
  main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function main(): void {
  const type = parseType(process.argv.slice(2), readSite(), namesInTemplates());
  if (type === 'help') return void process.stdout.write(help);
  const changes = changesFor(type);
  refuseConflicts(changes);
  apply(changes);
  process.stdout.write(`${[...changes.keys()].map((path) => `  ${path}`).join('\n')}\n\n${leftToDo(type)}\n`);
}

function readSite() {
  const { definitions } = parse(readFileSync('schema.graphql', 'utf8'));
  return {
    types: definitions.flatMap((definition) =>
      'name' in definition && definition.name ? definition.name.value : [],
    ),
    pages: pages.map(({ name }) => name),
    groups: [...groupRoles(readFileSync('infra/template.yaml', 'utf8')).keys()],
  };
}

/** Throws when a merge has left conflicts in the files. */
function refuseConflicts(changes: Changes): void {
  const conflict = [...changes].find(
    ([path]) => existsSync(path) && /^(?:<{7}|>{7}) /m.test(readFileSync(path, 'utf8')),
  );
  if (conflict) throw new Error(`${conflict[0]} has conflicts of a merge. Resolve them first.`);
}

/** Writes all files and what is generated from them, or, if that fails, none. */
function apply(changes: Changes): void {
  const written = [
    ...changes.keys(),
    TEXT_TYPES,
    ...[...changes.keys()].map((path) => `${path}.generated.ts`),
  ];
  const before = written.map((path) => [path, existsSync(path) ? readFileSync(path) : null] as const);
  try {
    for (const [path, text] of changes) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    run('tsx', '--conditions=@tenfold/source', 'tools/build/write-generated-files.ts');
    run(
      'biome',
      'check',
      '--write',
      '--error-on-warnings',
      ...[...changes.keys()].filter((path) => /\.(?:tsx?|js|json|graphql)$/.test(path)),
    );
  } catch (error) {
    for (const [path, content] of before) {
      if (content === null) rmSync(path, { force: true });
      else writeFileSync(path, content);
    }
    throw error;
  }
}

function run(program: string, ...args: readonly string[]): void {
  try {
    execFileSync(join('node_modules', '.bin', program), args, {
      stdio: 'pipe',
      shell: process.platform === 'win32',
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error instanceof Error ? { stdout: '', stderr: '', ...error } : {};
    throw new Error(`Nothing was changed, because ${program} failed:\n${stdout}${stderr}`);
  }
}

function leftToDo({ name }: RecordType): string {
  return `${name} is in the data API and on a page of its own. Left to do by hand:
  - Translate its texts. tests/fixtures/not-translated.txt names them: remove them there when they are translated.
  - Name it on the privacy page, if the site has one: in CloudItems of privacy.tsx, with texts in privacy.json.
  - npm run aws:deploy brings it to AWS.
`;
}

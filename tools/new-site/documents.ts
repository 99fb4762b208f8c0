/** Documents: a README and a changelog of the site's own, and no links to what was removed. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LIVE } from './pages.ts';
import { edit, filesBelow, read, remove, write } from './tree.ts';

/** Sections of the guide that are about a part that is gone. */
const guideSections: Record<string, string> = {
  'typography-demo': 'Remove the typography page',
  'test-message': 'Remove the test messages',
};

const GUIDE = 'docs/make-it-yours.md';

/** Replaces what the documents say about Tenfold as a product, and starts the changelog and the decisions anew. */
export function startDocuments(name: string, { version, commit }: { version: string; commit: string }): void {
  write('CHANGELOG.md', `# Changelog\n\n## [Unreleased]\n\n- The site begins, on Tenfold ${version}.\n`);
  remove('docs/decisions', 'docs/screenshots');
  write('docs/decisions/001-built-on-tenfold.md', firstRecord(name, version, commit));
  edit('docs/README.md', (text) => {
    const [start = ''] = text.split('**Foundation**');
    return `${start.replace('what Tenfold is', `what ${name} is`)}- [001](decisions/001-built-on-tenfold.md) ${name} is built on Tenfold\n`;
  });
  edit('README.md', (text) => {
    const [, rest = ''] = text.split(/^(?=## Two commands$)/m);
    return `# ${name}\n\n${name} is a multilingual website with sign-in, built on Tenfold: Remix on Node, sign-in through an Amazon Cognito hosted login, and a GraphQL proxy that signs requests to AWS AppSync.\n\n${withoutSection(rest, 'Things to try')}`;
  });
}

function firstRecord(name: string, version: string, commit: string): string {
  return `# 1. ${name} is built on Tenfold

The code began as Tenfold ${version}, commit ${commit}. The reasons for its design are in the decision records of that
commit, in \`docs/decisions\`. Records that the code names by number are those.

Changes of that design, and the decisions of this site, get records here.
`;
}

/** Removes from the guide the sections about the pages and the renaming, and what needs the command or its test. */
export function shortenGuide(removedPages: readonly string[]): void {
  edit('docs/architecture.md', (text) => text.replace(/^\| `tools\/new-site` .*\n/m, ''));
  edit('tools/README.md', (text) => text.replace(/^\| `new-site` .*\n/m, ''));
  const titles = [
    'Begin your own site',
    'Rename the site',
    'Change the logo',
    ...removedPages.map((page) => guideSections[page]),
    // Its example are the messages.
    removedPages.includes('test-message') || removedPages.includes(LIVE)
      ? 'Add a stream of your own data'
      : undefined,
  ];
  for (const title of titles) if (title) edit(GUIDE, (text) => withoutSection(text, title));
  edit(GUIDE, (text) =>
    text.replace(' A test makes all of them in a new site.', '').replace(/^`npm run new-site -- .*\n\n/m, ''),
  );
  edit('README.md', (text) => text.replace(/^`npm ci && npm run new-site` turns [^.]*\. /m, ''));
  edit('CONTRIBUTING.md', (text) =>
    text.replace(/^\| `npm run new-site` .*\n/m, '').replace(', WebKit, and new sites', ' and WebKit'),
  );
}

/** Removes a section of level two. Throws when there is none. */
function withoutSection(text: string, title: string): string {
  const sections = text.split(/^(?=## )/m);
  const kept = sections.filter((section) => !section.startsWith(`## ${title}\n`));
  if (kept.length === sections.length) throw new Error(`There is no section '${title}'.`);
  return kept.join('');
}

/**
 * Removes the links to files that do not exist any more, in all documents. A row of the threat model without a test goes,
 * and so does a row of a table that begins with such a file.
 */
export function removeDeadLinks(): void {
  for (const file of filesBelow('.md', 'docs', 'app', 'packages', 'tools', '.')) {
    const before = read(file);
    const after = withoutDeadLinks(before, dirname(file));
    if (after !== before) write(file, after);
  }
}

function withoutDeadLinks(text: string, folder: string): string {
  const isDead = (target: string) => {
    const path = target.replace(/#.*$/, '');
    return path !== '' && !/^[a-z]+:/.test(path) && !existsSync(join(folder, path));
  };
  const lines = text.split('\n').flatMap((line) => {
    if (/^\| T-\d/.test(line)) return threatRow(line, isDead);
    return [
      line
        .replace(/ ?\(\[(?:decision|record) \d+\]\(([^)]+)\)\)/g, (link, target) =>
          isDead(target) ? '' : link,
        )
        .replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, label, target) => (isDead(target) ? label : link)),
    ];
  });
  return lines.join('\n');
}

/** The row with its remaining tests, or nothing. */
function threatRow(line: string, isDead: (target: string) => boolean): string[] {
  const cells = line.slice(2, -2).split(' | ');
  const tests = (cells.pop() ?? '')
    .split(', ')
    .filter((link) => !isDead(/\]\(([^)]+)\)/.exec(link)?.[1] ?? ''));
  return tests.length === 0 ? [] : [`| ${[...cells, tests.join(', ')].join(' | ')} |`];
}

/** Removes pages: the folders of their code and tests, their texts, and the few lines elsewhere that are about them. */
import { removeTexts } from './texts.ts';
import { edit, remove, removeLines } from './tree.ts';

/** What is about a page outside of its folders. The name of a page is that of its folder too. */
const elsewhere: Record<string, (kept: readonly string[]) => void> = {
  'test-message': (kept) => {
    edit('app/server/page-cache/page-cache-key.ts', (text) => text.replace(", 'outcome'", ''));
    edit('docs/security-inventory.md', (text) =>
      text.replace('`app/pages/test-message/message/message-content.ts`, ', ''),
    );
    edit('docs/make-it-yours.md', (text) =>
      text.replace(/; `app\/pages\/test-message\/message-calls[^`]*` shows how to handle it/, ''),
    );
    if (!kept.includes('privacy')) return;
    removeLines('app/pages/privacy/cookies.ts', "name: 'outcome'");
    removeLines('app/pages/privacy/privacy.tsx', 'MessageChoice');
    edit('app/pages/privacy/privacy.tsx', (text) => text.replace("'messages', ", ''));
    remove('app/pages/privacy/message-choice.tsx');
    for (const key of ['cookies.outcome', 'cloud.messages', 'choices.messages'])
      removeTexts(`privacy:${key}`);
  },
};

/** The folders of a page. */
const foldersOf = (name: string): string[] => [
  `app/pages/${name}`,
  ...['unit', 'routes', 'e2e'].map((kind) => `tests/${kind}/pages/${name}`),
];

export function removePages(names: readonly string[], all: readonly string[]): void {
  const kept = all.filter((name) => !names.includes(name));
  for (const name of names) {
    removeLines('app/pages.ts', `{ name: '${name}', `);
    remove(...foldersOf(name));
    removeTexts(name);
    removeTexts(`common:nav.pages.${name}`);
    elsewhere[name]?.(kept);
  }
}

/** Removes what belongs to the home page, which another one replaces. */
export function removeHomePage(): void {
  remove(
    ...foldersOf('home'),
    'packages/site-build/vite-plugins/source-excerpt.ts',
    'packages/site-build/tests/source-excerpt.test.ts',
  );
  removeLines('app/tailwind.css', 'pages/home/');
  removeLines('vite.config.ts', 'sourceExcerpt');
  edit('vitest.config.ts', (text) =>
    text.replace(/import \{ sourceExcerpt \}.*\n/, '').replace(', sourceExcerpt()', ''),
  );
  edit('app/vite-env.d.ts', (text) => text.replace(/\n\/\*\* Code of this repository[\s\S]*$/, ''));
}

/** Removes pages: the folders of their code and tests, their texts, and the few lines elsewhere that are about them. */
import { removeTexts } from './texts.ts';
import { edit, remove, removeLines } from './tree.ts';

/** What `--without` can name beside pages: messages that arrive by themselves. */
export const LIVE = 'live';

/** What is about a page outside of its folders. The name of a page is that of its folder too. */
const elsewhere: Record<string, (kept: readonly string[]) => void> = {
  'test-message': (kept) => {
    removeLiveServices();
    if (!kept.includes('privacy')) return;
    removeLines('app/pages/privacy/privacy.tsx', 'MessageChoice');
    edit('app/pages/privacy/privacy.tsx', (text) => text.replace("'messages', ", ''));
    remove('app/pages/privacy/message-choice.tsx');
    for (const key of ['cloud.messages', 'choices.messages']) removeTexts(`privacy:${key}`);
  },
  account: (kept) => {
    remove('public/account-export.schema.json');
    removeLines('README.md', '| the account, and the fresh sign-in');
    removeLines('app/server/preferences/sign-in-notice.ts', "'account-deleted',");
    edit('app/components/site/site-notices.tsx', (text) =>
      text
        .replace(
          " || code === 'account-deleted') return <SignedOut {...{ code, onDismiss }} />",
          ') return <SignedOut onDismiss={onDismiss} />',
        )
        .replace("{ code, onDismiss }: { code: 'signed-out' | 'account-deleted'; ", '{ onDismiss }: { ')
        .replace(
          "t(code === 'signed-out' ? 'signedOut.title' : 'signedOut.accountDeleted')",
          "t('signedOut.title')",
        ),
    );
    removeTexts('common:signedOut.accountDeleted');
    if (!kept.includes('privacy')) return;
    removeLines('app/pages/privacy/privacy.tsx', 'AccountPageChoice');
    remove('app/pages/privacy/account-page-choice.tsx');
    removeTexts('privacy:choices.accountPage');
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
    if (name === LIVE) {
      if (kept.includes('test-message')) removeLive();
      continue;
    }
    removeLines('app/pages.ts', `{ name: '${name}', `);
    remove(...foldersOf(name));
    removeTexts(name);
    removeTexts(`common:nav.pages.${name}`);
    elsewhere[name]?.(kept);
  }
}

/** Removes the stream of events about messages, and leaves the list that is loaded with the page. */
function removeLive(): void {
  const page = 'app/pages/test-message';
  removeLiveServices();
  remove(`${page}/live`);
  for (const file of [
    'e2e/pages/test-message/live.spec.ts',
    'e2e/pages/test-message/live-restart.spec.ts',
    'routes/pages/test-message/events.test.ts',
    'unit/pages/test-message/live-list.test.ts',
  ])
    remove(`tests/${file}`);
  removeTexts('test-message:live');
  edit(`${page}/use-deletion.ts`, (text) =>
    text.replace('export function focusNeighbor', 'function focusNeighbor'),
  );
  removeLines(`${page}/message-list.tsx`, "from './live/", 'useLiveMessages', 'useKeptPosition', '<Live');
  edit(`${page}/message-list.tsx`, (text) =>
    text.replace('live.messages.filter', 'listed.filter').replace(' || live.isOpen', ''),
  );
}

function removeLiveServices(): void {
  remove('app/client/live', 'app/server/live', 'app/resources/api.messages.events.ts');
  remove('tools/bench/streams.ts');
  removeLines('tools/bench/main.ts', 'measureStreams');
  removeLines('remix.config.js', 'api.messages.events.ts');
  removeLines('app/server/request-context.ts', 'iveMessages');
  removeLines('docs/architecture.md', '| `app/server/live` |');
  removeLines('README.md', '| messages that arrive by themselves |');
  removeLines('docs/performance.md', '**Streams of events.**');
}

/** Removes what belongs to the home page, which another one replaces. */
export function removeHomePage(): void {
  remove(
    ...foldersOf('home'),
    'tools/build/vite-plugins/source-excerpt.ts',
    'tools/build/tests/source-excerpt.test.ts',
  );
  removeLines('app/tailwind.css', 'pages/home/');
  removeLines('vite.config.ts', 'sourceExcerpt');
  edit('vitest.config.ts', (text) =>
    text.replace(/import \{ sourceExcerpt \}.*\n/, '').replace(', sourceExcerpt()', ''),
  );
  edit('app/vite-env.d.ts', (text) => text.replace(/\n\/\*\* Code of this repository[\s\S]*$/, ''));
}

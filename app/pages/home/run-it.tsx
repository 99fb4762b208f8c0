import { sourceExcerpt } from 'virtual:source-excerpt';
import { useTranslation } from 'react-i18next';
import { sourceFileUrl } from '../../components/site/site-links.ts';

/** The commands, which are those of the README, and code of this repository. */
export function RunIt({ source, docs }: { source: string | null; docs: string | null }) {
  return (
    <div className="grid grid-cols-1 gap-12">
      <Commands docs={docs} />
      <Excerpt source={source} />
    </div>
  );
}

const commands = [
  { command: 'npm run demo', key: 'demo' },
  { command: 'npm test', key: 'test' },
] as const;

function Commands({ docs }: { docs: string | null }) {
  const { t } = useTranslation('home');
  return (
    <div className="grid content-start gap-6">
      <dl className="grid grid-cols-1 gap-x-10 gap-y-6 md:grid-cols-2">
        {commands.map(({ command, key }) => (
          <div key={key}>
            <dt dir="ltr" translate="no">
              <code className="block rounded-control border border-line bg-surface px-4 py-2.5 font-medium select-all">
                {command}
              </code>
            </dt>
            <dd className="mt-2 text-ink-muted">{t(`run.${key}`)}</dd>
          </div>
        ))}
      </dl>
      {docs ? (
        <p>
          <a href={docs} className="text-link">
            {t('run.docs')}
          </a>
        </p>
      ) : null}
    </div>
  );
}

type Token = (typeof sourceExcerpt.tokens)[number];

const tokenClasses = {
  comment: 'text-ink-muted',
  keyword: 'text-primary',
  name: 'text-secondary-ink',
} as const;

/** The index can be the key, because the tokens never change. */
function renderToken(token: Token, index: number) {
  if (typeof token === 'string') return token;
  return (
    <span key={index} className={tokenClasses[token[0]]}>
      {token[1]}
    </span>
  );
}

/** A function of the server, as it is in its file. A window narrower than the code scrolls it. */
function Excerpt({ source }: { source: string | null }) {
  const { t } = useTranslation('home');
  const { path, tokens } = sourceExcerpt;
  return (
    <div className="min-w-0">
      <h3 className="text-subheading">{t('run.code.title')}</h3>
      <p className="mt-1 text-ink-muted">{t('run.code.text')}</p>
      <div className="mt-4 overflow-hidden rounded-card border border-line bg-surface">
        <p dir="ltr" translate="no" className="border-b border-line bg-sunken px-5 py-2 text-sm">
          <code className="break-all">
            {source === null ? (
              path
            ) : (
              <a href={sourceFileUrl(source, path)} className="text-link">
                {path}
              </a>
            )}
          </code>
        </p>
        <section
          aria-label={t('run.code.label')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
          tabIndex={0}
          dir="ltr"
          className="overflow-x-auto px-5 py-4 text-sm leading-relaxed"
        >
          <pre translate="no" lang="en">
            <code>{tokens.map(renderToken)}</code>
          </pre>
        </section>
      </div>
    </div>
  );
}

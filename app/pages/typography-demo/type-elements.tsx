import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { fonts } from '../../brand/fonts.ts';
import { RichText } from '../../components/ui/rich-text.tsx';
import { LetterFigure } from './letter-figure.tsx';

/** A sample article with every text element: headings, lists, quotations, code, a figure, footnotes. */
export function TypeElements() {
  return (
    <div className="grid grid-cols-1 gap-x-16 gap-y-12 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <article className="max-w-prose">
        <RunningText />
        <Quotations />
        <Lists />
        <Footnote />
      </article>
      <div className="grid grid-cols-1 content-start gap-12">
        <LetterFigure />
        <CodeSample />
      </div>
    </div>
  );
}

function RunningText() {
  const { t } = useTranslation('typography-demo');
  return (
    <>
      <h3 className="text-subheading">{t('text.headingThree')}</h3>
      <p className="mt-3">
        <RichText text={t('text.paragraph', { number: 1 })} elements={{ note: <FootnoteMark /> }} />
      </p>
      <h4 className="mt-8 font-semibold">{t('text.headingFour')}</h4>
      <p className="mt-2">
        <RichText
          text={t('text.styles')}
          elements={{
            strong: <strong />,
            em: <em />,
            mark: <mark className="rounded-sm box-decoration-clone bg-primary-soft px-1 text-primary-ink" />,
            anchor: <PlainLink href="#footnote" />,
          }}
        />
      </p>
    </>
  );
}

/** The raised number that leads to the footnote. Its text is that of the translation. */
function FootnoteMark({ children }: { children?: ReactNode }) {
  const { t } = useTranslation('typography-demo');
  return (
    <a
      href="#footnote"
      id="footnote-mark"
      aria-label={t('text.footnoteMark')}
      className="text-link px-0.5 align-super text-xs leading-none"
    >
      {children}
    </a>
  );
}

/** A link within a sentence. Its text is that of the translation. */
function PlainLink({ href, children }: { href: string; children?: ReactNode }) {
  return (
    <a href={href} className="text-link">
      {children}
    </a>
  );
}

/** The browser adds the quotation marks of the language to `q`. */
function Quotations() {
  const { t } = useTranslation('typography-demo');
  return (
    <>
      <p className="mt-6">
        <RichText text={t('text.quote')} elements={{ outer: <q />, inner: <q /> }} />
      </p>
      <figure className="mt-8 border-s-4 border-primary ps-5">
        <blockquote className="font-display text-lead leading-(--leading-text) font-medium">
          <p>{t('text.blockquote')}</p>
        </blockquote>
        <figcaption className="mt-2 text-sm text-ink-muted">{t('text.blockquoteSource')}</figcaption>
      </figure>
    </>
  );
}

function Footnote() {
  const { t } = useTranslation('typography-demo');
  return (
    <p id="footnote" className="mt-10 border-t border-line pt-3 text-sm text-ink-muted">
      <RichText
        text={t('text.footnote', { number: 1 })}
        elements={{
          number: <span className="font-display tabular-nums" />,
          back: <PlainLink href="#footnote-mark" />,
        }}
      />
    </p>
  );
}

function Lists() {
  const { t } = useTranslation('typography-demo');
  return (
    <div className="mt-8 grid gap-8 sm:grid-cols-2">
      <div>
        <h3 className="text-subheading">{t('lists.unordered')}</h3>
        <ul className="mt-2 list-disc ps-5 marker:text-primary">
          <li>{t('lists.first')}</li>
          <li>
            <span>{t('lists.second')}</span>
            <ul className="list-[circle] ps-5 marker:text-secondary">
              <li>{t('lists.nested')}</li>
            </ul>
          </li>
          <li>{t('lists.third')}</li>
        </ul>
      </div>
      <div>
        <h3 className="text-subheading">{t('lists.ordered')}</h3>
        <ol className="mt-2 list-numbers ps-6 marker:font-display marker:text-primary marker:tabular-nums">
          <li>{t('lists.first')}</li>
          <li>{t('lists.second')}</li>
          <li>{t('lists.third')}</li>
        </ol>
      </div>
    </div>
  );
}

const CODE = `@font-face {
  font-family: "${fonts.text.family}";
  font-weight: 300 700;
  font-display: swap;
}`;

/** Code is left-to-right in every language. */
function CodeSample() {
  const { t } = useTranslation('typography-demo');
  return (
    <div>
      <h3 className="text-subheading">{t('text.code')}</h3>
      <p className="mt-2">
        <RichText
          text={t('text.keyboard')}
          elements={{ key: <kbd className="rounded border border-line-strong px-1.5 font-mono text-sm" /> }}
        />
      </p>
      <pre
        dir="ltr"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        tabIndex={0}
        className="mt-3 overflow-x-auto rounded-control border border-line bg-sunken p-4 text-start font-mono text-sm leading-relaxed"
      >
        <code>{CODE}</code>
      </pre>
    </div>
  );
}

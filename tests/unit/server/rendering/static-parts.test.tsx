import { useId } from 'react';
import { renderToString } from 'react-dom/server';
import { I18nextProvider, useTranslation } from 'react-i18next';
import { describe, expect, it } from 'vitest';
import { DocumentContext } from '../../../../app/components/document/document-context.ts';
import { useRootData } from '../../../../app/components/document/root-data.ts';
import { StaticPart } from '../../../../app/components/document/static-part.tsx';
import { PageLink } from '../../../../app/components/site/page-link.tsx';
import { defaultLocale, type LocaleCode } from '../../../../app/i18n/locales.ts';
import { loadTranslations } from '../../../../app/i18n/translations.server.ts';
import { StaticParts } from '../../../../app/server/rendering/static-parts.tsx';
import { examplePage, examplePath, other } from '../../../support/this-site.ts';

const translations = loadTranslations('public/locales');

/** Renders `content` as the static part of a document, then the parts that were missing. */
function renderDocument(staticParts: StaticParts, locale: LocaleCode, content: JSX.Element): string {
  const parts = staticParts.forDocument(locale);
  const i18n = translations.instance(locale);
  const icons = { draw: () => null };
  const html = renderToString(
    <DocumentContext.Provider
      value={{
        nonce: '',
        requestId: '',
        buildId: '',
        i18n,
        theme: 'system',
        visitor: { state: 'anonymous' },
        icons,
        staticParts: parts,
        remix: null,
      }}
    >
      <I18nextProvider i18n={i18n}>
        <StaticPart as="p">{content}</StaticPart>
      </I18nextProvider>
    </DocumentContext.Provider>,
  );
  parts.renderMissing();
  return html;
}

let renderings = 0;

function ThemeName({ theme }: { theme: 'light' | 'dark' }) {
  renderings += 1;
  const { t } = useTranslation();
  return (
    <>
      {t('theme.label')}: {t(`theme.${theme}`)}
    </>
  );
}

function ExampleLink() {
  return <PageLink page={examplePage.name} />;
}

function StoredTheme() {
  return <span>{useRootData()?.theme ?? 'none'}</span>;
}

function Labeled() {
  return <span id={useId()} />;
}

function Name({ visitor }: { visitor: { name: string } }) {
  return <span>{visitor.name}</span>;
}

describe('a static part', () => {
  it('is the same inserted as rendered, in each language and for each property', () => {
    const staticParts = new StaticParts(translations);
    const documents = () =>
      [defaultLocale.code, other.code].flatMap((locale) =>
        (['light', 'dark'] as const).map((theme) =>
          renderDocument(staticParts, locale, <ThemeName theme={theme} />),
        ),
      );
    const rendered = documents();
    const before = renderings;
    expect(documents()).toEqual(rendered);
    expect(renderings).toBe(before);
    expect(new Set(rendered).size).toBe(4);
    expect(rendered[0]).toBe('<p>Color theme<!-- -->: <!-- -->Light</p>');
  });

  it('links to pages in its language', () => {
    const staticParts = new StaticParts(translations);
    const parts = staticParts.forDocument(other.code);
    parts.find(<ExampleLink />);
    parts.renderMissing();
    expect(parts.find(<ExampleLink />)).toContain(`href="${examplePath(other)}"`);
  });

  // threat-model: T-096
  it.each([
    ['reads the data of the visitor', <StoredTheme key="data" />, /data router/],
    ['has an id of its own', <Labeled key="id" />, /uses an id/],
    ['has an object as a property', <Name key="name" visitor={{ name: 'Ada' }} />, /no text or number/],
  ])('that %s is refused', (_what, content, message) => {
    const parts = new StaticParts(translations).forDocument('en');
    parts.find(content);
    expect(() => parts.renderMissing()).toThrow(message);
  });
});

/** Parts of pages that are the same for every visitor, rendered once for each language (`StaticPart`). */
import type { i18n } from 'i18next';
import { LRUCache } from 'lru-cache';
import type { ReactElement } from 'react';
import { renderToString } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { StaticRouter } from 'react-router-dom/server';
import { type LocaleCode, localizePath, parseLocale } from '../../i18n/locales.ts';
import type { Translations } from '../../i18n/translations.server.ts';

/** The parts of one document. */
export type DocumentParts = {
  /** The HTML of a part in the document's language, or null if it has not been rendered yet. */
  find(content: ReactElement): string | null;
};

/** More than the combinations of languages and properties that a part has. */
const MAX_PER_COMPONENT = 200;

/** Ids of `useId` would start with this. */
const ID_PREFIX = 'static-part-';

/** The parts of a process. A part is rendered without a visitor: only the language and its properties are known. */
export class StaticParts {
  readonly #translations: Pick<Translations, 'instance'>;
  readonly #rendered = new Map<ReactElement['type'], LRUCache<string, string>>();

  constructor(translations: Pick<Translations, 'instance'>) {
    this.#translations = translations;
  }

  /**
   * Returns the parts of a document. `renderMissing` renders those that the document did not find, for later documents.
   * It throws for a part that depends on more than its language and properties.
   */
  forDocument(locale: LocaleCode): DocumentParts & { renderMissing(): void } {
    const missing: { content: ReactElement; key: string }[] = [];
    return {
      find: (content) => {
        const key = `${locale} ${JSON.stringify(content.props)}`;
        const html = this.#htmlByKey(content).get(key) ?? null;
        if (html === null) missing.push({ content, key });
        return html;
      },
      renderMissing: () => {
        const instance = this.#translations.instance(locale);
        for (const { content, key } of missing) {
          const htmlByKey = this.#htmlByKey(content);
          if (!htmlByKey.has(key)) htmlByKey.set(key, renderPart(content, locale, instance));
        }
      },
    };
  }

  #htmlByKey({ type }: ReactElement): LRUCache<string, string> {
    const known = this.#rendered.get(type);
    if (known) return known;
    const created = new LRUCache<string, string>({ max: MAX_PER_COMPONENT });
    this.#rendered.set(type, created);
    return created;
  }
}

/** Renders a part with a router for its links, which knows the home page only, and without the data of any route. */
function renderPart(content: ReactElement, code: LocaleCode, instance: i18n): string {
  const name = typeof content.type === 'function' ? content.type.name : String(content.type);
  if (Object.values(content.props).some((value) => typeof value === 'object' && value !== null)) {
    throw new Error(`The static part ${name} has a property that is no text or number.`);
  }
  const locale = parseLocale(code);
  const html = renderToString(
    <StaticRouter location={locale ? localizePath('/', locale) : '/'}>
      <I18nextProvider i18n={instance}>{content}</I18nextProvider>
    </StaticRouter>,
    { identifierPrefix: ID_PREFIX },
  );
  if (html.includes(ID_PREFIX)) throw new Error(`The static part ${name} uses an id.`);
  return html;
}

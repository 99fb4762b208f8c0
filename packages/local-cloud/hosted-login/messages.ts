import de from './messages/de.json' with { type: 'json' };
import en from './messages/en.json' with { type: 'json' };
import es from './messages/es.json' with { type: 'json' };
import fr from './messages/fr.json' with { type: 'json' };
import id from './messages/id.json' with { type: 'json' };
import it from './messages/it.json' with { type: 'json' };
import ja from './messages/ja.json' with { type: 'json' };
import ko from './messages/ko.json' with { type: 'json' };
import ptBr from './messages/pt-BR.json' with { type: 'json' };
import zhCn from './messages/zh-CN.json' with { type: 'json' };
import zhTw from './messages/zh-TW.json' with { type: 'json' };

/**
 * The names of the languages that Cognito's managed login supports, each in its own language.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html
 */
export const languageNames = {
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fr: 'Français',
  id: 'Bahasa Indonesia',
  it: 'Italiano',
  ja: '日本語',
  ko: '한국어',
  'pt-BR': 'Português (Brasil)',
  'zh-CN': '简体中文',
  'zh-TW': '繁體中文',
} as const;

export type Language = keyof typeof languageNames;
export type MessageKey = keyof typeof en;

export const languages: readonly Language[] = Object.keys(languageNames).filter(isLanguage);

const messages: Record<Language, Record<MessageKey, string>> = {
  de,
  en,
  es,
  fr,
  id,
  it,
  ja,
  ko,
  'pt-BR': ptBr,
  'zh-CN': zhCn,
  'zh-TW': zhTw,
};

/** Returns whether the hosted login supports a language tag. */
export function isLanguage(value: string): value is Language {
  return Object.hasOwn(languageNames, value);
}

/** Returns a message in one language. `values` replace the placeholders in braces, such as `{email}`. */
export type Translate = (key: MessageKey, values?: Record<string, string | number>) => string;

/** Returns the translate function of a language. */
export function createTranslator(language: Language): Translate {
  return (key, values = {}) =>
    messages[language][key].replace(/\{(\w+)\}/g, (placeholder, name: string) =>
      String(values[name] ?? placeholder),
    );
}

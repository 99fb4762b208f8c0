import Negotiator from 'negotiator';
import { type CloudRequest, readCookie, serializeCookie } from '../http/exchange.ts';
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

export type MessageKey = keyof typeof en;

/**
 * The messages in the languages that Cognito's managed login supports.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html
 */
const messages = new Map<string, Record<MessageKey, string>>(
  Object.entries({ en, de, es, fr, id, it, ja, ko, 'pt-BR': ptBr, 'zh-CN': zhCn, 'zh-TW': zhTw }),
);
export const languages: readonly string[] = [...messages.keys()];

const COOKIE = 'lang';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Returns a message. `values` replace the placeholders in braces, such as `{email}`. */
export type Translate = (key: MessageKey, values?: Record<string, string | number>) => string;

/** Returns the translate function of a language. */
export function createTranslator(language: string): Translate {
  return (key, values = {}) =>
    (messages.get(language) ?? en)[key].replace(/\{(\w+)\}/g, (placeholder, name: string) =>
      String(values[name] ?? placeholder),
    );
}

/**
 * Returns the language of a page: the `lang` parameter, or else the `lang` cookie, or else the best match for
 * `Accept-Language`, or else English. For a `lang` parameter it also returns a `Set-Cookie` line that stores the choice.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html
 */
export function chooseLanguage(request: CloudRequest): { language: string; cookie: string | null } {
  const requested = request.url.searchParams.get('lang') ?? '';
  if (messages.has(requested)) {
    return { language: requested, cookie: serializeCookie(COOKIE, requested, { maxAge: YEAR_SECONDS }) };
  }
  const stored = readCookie(request, COOKIE) ?? '';
  const preferred = () => new Negotiator(request).language([...languages]) ?? 'en';
  return { language: messages.has(stored) ? stored : preferred(), cookie: null };
}

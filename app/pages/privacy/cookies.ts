/**
 * All cookies of the site. Each is strictly necessary or the visitor's own choice, so none needs consent. On plain HTTP
 * the first three have no prefix.
 */
export const cookies = [
  { name: '__Host-locale', key: 'locale' },
  { name: '__Host-language-offer', key: 'languageOffer' },
  { name: '__Host-theme', key: 'theme' },
  { name: '__Host-session', key: 'session' },
  { name: '__Host-oauth', key: 'oauth' },
  { name: '__Host-guest', key: 'guest' },
  { name: '__Host-notice', key: 'notice' },
  { name: '__Host-outcome', key: 'outcome' },
] as const;

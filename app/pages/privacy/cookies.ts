/** All cookies of the site. Each is strictly necessary or the visitor's own choice, so none needs consent. */
export const cookies = [
  { name: 'locale', key: 'locale' },
  { name: 'language-offer', key: 'languageOffer' },
  { name: 'theme', key: 'theme' },
  { name: '__Host-session', key: 'session' },
  { name: '__Host-oauth', key: 'oauth' },
  { name: '__Host-guest', key: 'guest' },
  { name: '__Host-notice', key: 'notice' },
  { name: '__Host-outcome', key: 'outcome' },
] as const;

/**
 * All cookies of the site. Each is strictly necessary or the visitor's own choice, so none needs consent. On an origin of
 * https the names of those that only the server reads begin with `__Host-`.
 */
export const cookies = [
  { name: 'locale', forServer: false, key: 'locale' },
  { name: 'language-offer', forServer: false, key: 'languageOffer' },
  { name: 'theme', forServer: false, key: 'theme' },
  { name: 'session', forServer: true, key: 'session' },
  { name: 'oauth', forServer: true, key: 'oauth' },
  { name: 'grant', forServer: true, key: 'grant' },
  { name: 'guest', forServer: true, key: 'guest' },
  { name: 'notice', forServer: true, key: 'notice' },
  { name: 'outcome', forServer: true, key: 'outcome' },
] as const;

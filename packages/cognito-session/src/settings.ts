/** What an app configures. */

export type SessionSettings = {
  /** Part of the keys of sealed cookies and of the names in the store: two apps with one secret or store share nothing. */
  namespace: string;
  /** The first seals cookies; all of them open cookies. At least 32 characters each. */
  secrets: readonly [string, ...string[]];
  /** Whether cookies have `Secure` and the prefix `__Host-`: with https. On http://localhost WebKit accepts neither. */
  secure: boolean;
  sameSite: 'strict' | 'lax' | 'none';
  /** Seconds from the sign-in to the end of the session. */
  maxAge: number;
  /** Seconds without a request until the session ends. */
  maxIdle: number;
  /** Seconds after which tokens are refreshed even if they are still valid; null: when they expire. */
  recheckAfter: number | null;
};

export type UserPoolSettings = {
  region: string;
  id: string;
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  /** Origin of the hosted login. */
  domain: string;
  /** The `iss` claim of tokens. The signing keys are at `{issuer}/.well-known/jwks.json`. */
  issuer: string;
  /** The user pools API, for `InitiateAuth` and `GetTokensFromRefreshToken`. */
  endpoint: string;
  refreshOperation: 'GetTokensFromRefreshToken' | 'InitiateAuth';
};

/** The paths of the routes that begin and end sessions. */
export type AuthPaths = { signIn: string; signUp: string; callback: string; signOut: string };

export const DEFAULT_PATHS: AuthPaths = {
  signIn: '/auth/sign-in',
  signUp: '/auth/sign-up',
  callback: '/auth/callback',
  signOut: '/auth/sign-out',
};

export type Settings = {
  /** The public origin of the app: scheme, host and port. */
  appOrigin: string;
  /** Without them: `DEFAULT_PATHS`. */
  paths?: AuthPaths;
  session: SessionSettings;
  userPool: UserPoolSettings;
};

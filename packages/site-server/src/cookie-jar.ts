type CookieAttributes = {
  /** In seconds; 0 deletes the cookie. Without it the cookie lasts until the browser closes. */
  maxAge?: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: 'strict' | 'lax' | 'none';
};

/** The cookies that a response sets. */
export type CookieJar = {
  set(name: string, value: string, attributes: CookieAttributes): void;
  delete(name: string, attributes: CookieAttributes): void;
  /** The `Set-Cookie` lines. */
  lines(): string[];
};

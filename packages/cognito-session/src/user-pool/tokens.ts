/** The tokens of a signed-in user and the claims that the site reads from them. */

export type Tokens = {
  accessToken: string;
  idToken: string | null;
  /** Null after an implicit grant. Such tokens cannot be refreshed. */
  refreshToken: string | null;
  /** Present for remembered devices. The user pool requires it at every refresh. */
  deviceKey: string | null;
  /** Milliseconds by which the user pool's clock is ahead of this machine's. */
  clockDrift: number;
};

export type User = {
  sub: string;
  email: string | null;
  name: string | null;
  /** The groups of the user pool that the user was in when the tokens were issued (`cognito:groups`). */
  groups: readonly string[];
};

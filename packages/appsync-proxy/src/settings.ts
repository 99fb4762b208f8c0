/** A signed-in visitor: the session of `@tenfold/cognito-session`, or one of the same form. */
export type Caller = {
  /** The id of the session, by which credentials are cached. Never the id of the user, which several sessions share. */
  id: string;
  user: { sub: string };
  tokens: {
    /** Authorizes calls of an API whose authorization mode is the user pool. */
    accessToken: string;
    /** Exchanged for AWS credentials. Null: the session gets none. */
    idToken: string | null;
    /** How far the clock of the user pool is ahead of this machine's, in milliseconds. Default: 0. */
    clockDrift?: number;
  };
};

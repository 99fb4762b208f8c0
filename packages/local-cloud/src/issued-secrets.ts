export type SecretKind =
  | 'client secret'
  | 'authorization code'
  | 'code verifier'
  | 'access token'
  | 'ID token'
  | 'refresh token'
  | 'AWS access key id'
  | 'AWS secret key'
  | 'AWS session token';

/** Called with every secret that the local cloud issues or receives. Tests look for them where none may be. */
export type OnSecret = (kind: SecretKind, value: string) => void;

import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { Store } from '../storage/store.ts';

export const REGION = 'us-east-1';

/** The app clients there are: the one that rotates refresh tokens, the one that does not, and the one without a secret. */
export const clientKinds = ['rotating', 'plain', 'public'] as const;
export type ClientKind = (typeof clientKinds)[number];

export type AppClient = {
  kind: ClientKind;
  id: string;
  /** Null for a public client. */
  secret: string | null;
  rotatesRefreshTokens: boolean;
  callbackUrls: ReadonlySet<string>;
  signOutUrls: ReadonlySet<string>;
};

/** The user pool and its app clients, as an administrator set them up. */
export type UserPool = {
  id: string;
  /** What tokens carry as `iss`. */
  issuer: string;
  /** What the identity pool knows this user pool as. It keeps AWS's form though the local issuer is another. */
  providerName: string;
  /** Origins of the sites that sign in here. */
  siteOrigins: ReadonlySet<string>;
  /** Registers a site: `{origin}/auth/callback` to come back to, `{origin}/` to sign out to, both exactly. */
  registerSite(siteOrigin: string): void;
  client(id: string): AppClient | undefined;
  clientOf(kind: ClientKind): AppClient;
};

/** Scopes that every app client allows, in the order in which tokens name them. */
export const ALLOWED_SCOPES = ['openid', 'email', 'profile'] as const;

const schema = z.object({
  id: z.string(),
  clients: z.record(z.enum(clientKinds), z.object({ id: z.string(), secret: z.string().nullable() })),
});

/** Opens the user pool; its ids and secrets are made once and stay. `origin` is the local cloud's own. */
export function openUserPool(store: Store, origin: string): UserPool {
  const { value } = store.section({
    name: 'userPool',
    schema,
    initial: makeIds,
    outlivesReset: true,
  });
  const siteOrigins = new Set<string>();
  const callbackUrls = new Set<string>();
  const signOutUrls = new Set<string>();
  const clientOf = (kind: ClientKind): AppClient => ({
    kind,
    ...value.clients[kind],
    rotatesRefreshTokens: kind !== 'plain',
    callbackUrls,
    signOutUrls,
  });
  return {
    id: value.id,
    issuer: `${origin}/${value.id}`,
    providerName: `cognito-idp.${REGION}.amazonaws.com/${value.id}`,
    siteOrigins,
    registerSite(siteOrigin) {
      siteOrigins.add(siteOrigin);
      callbackUrls.add(`${siteOrigin}/auth/callback`);
      signOutUrls.add(`${siteOrigin}/`);
    },
    client(id) {
      const kind = clientKinds.find((candidate) => value.clients[candidate].id === id);
      return kind && clientOf(kind);
    },
    clientOf,
  };
}

function makeIds(): z.infer<typeof schema> {
  return {
    id: `${REGION}_${randomText(9, `${LOWER_CASE_AND_DIGITS}ABCDEFGHIJKLMNOPQRSTUVWXYZ`)}`,
    clients: {
      rotating: { id: randomText(26), secret: randomText(51) },
      plain: { id: randomText(26), secret: randomText(51) },
      public: { id: randomText(26), secret: null },
    },
  };
}

const LOWER_CASE_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

function randomText(length: number, alphabet = LOWER_CASE_AND_DIGITS): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

import { randomInt, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../http/exchange.ts';
import { equalInConstantTime, hashSecret } from '../storage/secrets.ts';
import type { Store } from '../storage/store.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

const HOUR_MS = 60 * 60 * 1000;

const codeSchema = z.object({ hash: z.string(), expiresAt: z.number() });
const userSchema = z.object({
  /** Also the username, because users sign in with an email address. */
  sub: z.string(),
  email: z.string(),
  passwordHash: z.string(),
  confirmed: z.boolean(),
  /** False for a user whom an administrator has disabled. */
  enabled: z.boolean().default(true),
  codes: z.object({ signUp: codeSchema.optional(), reset: codeSchema.optional() }),
});

type StoredUser = z.infer<typeof userSchema>;
type StoredUsers = Record<string, StoredUser>;
export type User = Readonly<StoredUser>;
/**
 * What an emailed code does: `signUp` confirms an address for 24 hours, `reset` resets a password for one hour.
 */
export type CodePurpose = 'signUp' | 'reset';

const codeLifetimes: Record<CodePurpose, number> = { signUp: 24 * HOUR_MS, reset: HOUR_MS };

export type Users = {
  find(email: string): User | undefined;
  /** Returns the user with this username, which is the `sub` claim of the user's tokens. */
  findBySub(sub: string): User | undefined;
  /**
   * Creates an unconfirmed user. If an unconfirmed user already has the address, sets its password, because the
   * address has not been verified yet. Returns null when a confirmed user has the address.
   */
  signUp(email: string, password: string): Promise<User | null>;
  /** Returns the enabled user with this address and password, or null. Takes the same time for an unknown address. */
  authenticate(email: string, password: string): Promise<User | null>;
  /** Returns a new code of six digits, which replaces the previous one for this purpose. */
  createCode(user: User, purpose: CodePurpose): string;
  /** Consumes a code and confirms the user. Returns null when the code is wrong or has expired. */
  redeemCode(email: string, purpose: CodePurpose, code: string): User | null;
  setPassword(user: User, password: string): Promise<void>;
  /** Enables or disables a user. A disabled user cannot sign in and gets no new tokens; tokens stay valid. */
  setEnabled(user: User, enabled: boolean): void;
};

/** Opens the user directory. Passwords and codes are stored as hashes. Email addresses are not case-sensitive. */
export function openUsers(store: Store, { clock }: { clock: Clock }): Users {
  const section = store.section({
    name: 'users',
    schema: z.record(z.string(), userSchema),
    initial: () => ({}),
  });
  return {
    find: (email) => find(section.value, email),
    findBySub: (sub) => Object.values(section.value).find((user) => user.sub === sub),
    async signUp(email, password) {
      const passwordHash = await hashPassword(password);
      return section.change((users) => signUp(users, normalizeEmail(email), passwordHash));
    },
    async authenticate(email, password) {
      const user = find(section.value, email);
      return (await verifyPassword(password, user?.passwordHash ?? null)) && user?.enabled ? user : null;
    },
    createCode: ({ email }, purpose) =>
      section.change((users) => createCode(find(users, email), purpose, clock())),
    redeemCode: (email, purpose, code) =>
      section.change((users) => redeemCode(find(users, email), purpose, code, clock())),
    setEnabled: ({ email }, enabled) =>
      section.change((users) => {
        const user = find(users, email);
        if (user) user.enabled = enabled;
      }),
    async setPassword({ email }, password) {
      const passwordHash = await hashPassword(password);
      section.change((users) => {
        const user = find(users, email);
        if (user) user.passwordHash = passwordHash;
      });
    },
  };
}

function find(users: StoredUsers, email: string): StoredUser | undefined {
  const key = normalizeEmail(email);
  return Object.hasOwn(users, key) ? users[key] : undefined;
}

function signUp(users: StoredUsers, email: string, passwordHash: string): StoredUser | null {
  const existing = find(users, email);
  if (existing?.confirmed) return null;
  const user = existing ?? {
    sub: randomUUID(),
    email,
    confirmed: false,
    enabled: true,
    codes: {},
    passwordHash,
  };
  users[email] = Object.assign(user, { passwordHash });
  return user;
}

function createCode(user: StoredUser | undefined, purpose: CodePurpose, now: number): string {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  if (user) user.codes[purpose] = { hash: hashCode(user, code), expiresAt: now + codeLifetimes[purpose] };
  return code;
}

function redeemCode(
  user: StoredUser | undefined,
  purpose: CodePurpose,
  code: string,
  now: number,
): StoredUser | null {
  const expected = user?.codes[purpose];
  if (!user || !expected || expected.expiresAt <= now) return null;
  if (!equalInConstantTime(hashCode(user, code), expected.hash)) return null;
  delete user.codes[purpose];
  user.confirmed = true;
  return user;
}

/** Returns the form of an email address under which its user is stored: trimmed and in lower case. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/**
 * Returns whether this is an email address by the rule of HTML's `<input type=email>` and the length limit of
 * SMTP.
 */
export function isEmail(value: string): boolean {
  return z.email({ pattern: z.regexes.html5Email }).max(254).safeParse(value).success;
}

/** The hash includes the user, so that equal codes of two users have different hashes. */
function hashCode(user: User, code: string): string {
  return hashSecret(`${user.sub}:${code.replace(/\s/g, '')}`);
}

import { createHash, randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../http/exchange.ts';
import type { Store } from '../storage/store.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

const HOUR_MS = 60 * 60 * 1000;

const codeSchema = z.object({ hash: z.string(), expiresAt: z.number() });
const userSchema = z.object({
  /** With e-mail as the way to sign in, this is the username too. */
  sub: z.string(),
  email: z.string(),
  passwordHash: z.string(),
  confirmed: z.boolean(),
  codes: z.object({ signUp: codeSchema.optional(), reset: codeSchema.optional() }),
});

export type User = Readonly<z.infer<typeof userSchema>>;
/** What a mailed code is for: it confirms an address for 24 hours, or resets a password for one. */
export type CodePurpose = 'signUp' | 'reset';

const codeLifetimes: Record<CodePurpose, number> = { signUp: 24 * HOUR_MS, reset: HOUR_MS };

export type Users = {
  find(email: string): User | undefined;
  /**
   * A new unconfirmed user. Whoever is there unconfirmed gets the new password: nobody has shown yet whose the address
   * is. Null when a confirmed user has the address.
   */
  signUp(email: string, password: string): Promise<User | null>;
  /** The user with this address and password. Takes as long when there is none. */
  authenticate(email: string, password: string): Promise<User | null>;
  /** A fresh code of six digits, in place of the one before. */
  makeCode(user: User, purpose: CodePurpose): string;
  /** Uses a code up and confirms the user with it; null when it is wrong or too old. */
  redeemCode(email: string, purpose: CodePurpose, code: string): User | null;
  setPassword(user: User, password: string): Promise<void>;
};

/** The user pool's directory. Passwords and codes are kept hashed; addresses do not tell upper from lower case. */
export function openUsers(store: Store, { clock }: { clock: Clock }): Users {
  const section = store.section({
    name: 'users',
    schema: z.record(z.string(), userSchema),
    initial: () => ({}),
  });
  const kept = (email: string) => {
    const key = normalizeEmail(email);
    return Object.hasOwn(section.value, key) ? section.value[key] : undefined;
  };

  return {
    find: kept,
    async signUp(email, password) {
      const passwordHash = await hashPassword(password);
      return section.change((users) => {
        const key = normalizeEmail(email);
        const existing = kept(email);
        if (existing?.confirmed) return null;
        const user = existing ?? { sub: randomUUID(), email: key, confirmed: false, codes: {}, passwordHash };
        users[key] = Object.assign(user, { passwordHash });
        return user;
      });
    },
    async authenticate(email, password) {
      const user = kept(email);
      return (await verifyPassword(password, user?.passwordHash ?? null)) && user ? user : null;
    },
    makeCode(user, purpose) {
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      section.change((users) => {
        const target = users[user.email];
        if (target)
          target.codes[purpose] = { hash: hashCode(user, code), expiresAt: clock() + codeLifetimes[purpose] };
      });
      return code;
    },
    redeemCode(email, purpose, code) {
      const user = kept(email);
      const expected = user?.codes[purpose];
      if (
        !user ||
        !expected ||
        expected.expiresAt <= clock() ||
        !matches(hashCode(user, code), expected.hash)
      )
        return null;
      section.change(() => {
        delete user.codes[purpose];
        user.confirmed = true;
      });
      return user;
    },
    async setPassword({ email }, password) {
      const passwordHash = await hashPassword(password);
      section.change((users) => {
        const user = users[email];
        if (user) user.passwordHash = passwordHash;
      });
    },
  };
}

/** One form per address, so that it is found however it is typed. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Whether this can be an e-mail address: HTML's own rule for `<input type=email>`, and SMTP's length. */
export function isEmail(value: string): boolean {
  return z.email({ pattern: z.regexes.html5Email }).max(254).safeParse(value).success;
}

/** Bound to the user, so that equal codes of two users do not look equal on disk. */
function hashCode(user: User, code: string): string {
  return createHash('sha256')
    .update(`${user.sub}:${code.replace(/\s/g, '')}`)
    .digest('base64url');
}

function matches(actual: string, expected: string): boolean {
  const [left, right] = [Buffer.from(actual), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

import { randomBytes, randomInt, randomUUID, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Clock } from '../http/exchange.ts';
import { hashSecret } from '../storage/secrets.ts';
import type { State, Store } from '../storage/store.ts';

/** Cognito's limit. It also limits the input of scrypt. */
export const MAX_PASSWORD_LENGTH = 256;

const HOUR_MS = 60 * 60 * 1000;
const codeLifetimes = { signUp: 24 * HOUR_MS, reset: HOUR_MS };

export type User = State['users'][string];
/** What an emailed code does: `signUp` confirms an address for 24 hours, `reset` resets a password for one hour. */
type CodePurpose = keyof User['codes'];

export type Users = {
  /** Returns the user with this email address, which is not case-sensitive. */
  find(email: string): User | undefined;
  /** Returns the user with this username, which is the `sub` claim of the user's tokens. */
  findBySub(sub: string): User | undefined;
  /** Creates an unconfirmed user. Returns null when the address is taken. */
  signUp(email: string, password: string): Promise<User | null>;
  /** Returns the enabled user with this address and password, or null. */
  authenticate(email: string, password: string): Promise<User | null>;
  /** Returns a new code of six digits, which replaces the previous one for this purpose. */
  createCode(user: User, purpose: CodePurpose): string;
  /** Consumes a code and confirms the user. Returns null when the code is wrong or has expired. */
  redeemCode(email: string, purpose: CodePurpose, code: string): User | null;
  setPassword(user: User, password: string): Promise<void>;
  /** Sets the attribute `name`, or deletes it with null. New tokens show it. */
  setName(user: User, name: string | null): void;
  /** Deletes a user. */
  remove(user: User): void;
  /** Enables or disables a user. A disabled user cannot sign in and gets no new tokens; tokens stay valid. */
  setEnabled(user: User, enabled: boolean): void;
  /** Creates a confirmed user in the group `admins`, or makes an existing user one. */
  createAdministrator(account: { email: string; password: string }): Promise<void>;
  /** Adds a user to a group, or removes the user from it. New tokens show it. */
  setGroup(user: User, group: string, isMember: boolean): void;
};

/** Opens the user directory. Passwords and codes are stored as hashes. */
export function openUsers(store: Store, clock: Clock): Users {
  const find = (email: string) => {
    const key = normalizeEmail(email);
    return Object.hasOwn(store.state.users, key) ? store.state.users[key] : undefined;
  };
  const users: Users = {
    find,
    findBySub: (sub) => Object.values(store.state.users).find((user) => user.sub === sub),
    async signUp(address, password) {
      const email = normalizeEmail(address);
      const passwordHash = await hashPassword(password);
      if (find(email)) return null;
      const user: User = {
        sub: randomUUID(),
        email,
        name: null,
        passwordHash,
        confirmed: false,
        enabled: true,
        groups: [],
        codes: {},
      };
      store.state.users[email] = user;
      store.save();
      return user;
    },
    async authenticate(email, password) {
      const user = find(email);
      return user?.enabled && (await isPassword(password, user.passwordHash)) ? user : null;
    },
    createCode(user, purpose) {
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      user.codes[purpose] = { hash: hashCode(user, code), expiresAt: clock() + codeLifetimes[purpose] };
      store.save();
      return code;
    },
    redeemCode(email, purpose, code) {
      const user = find(email);
      const expected = user?.codes[purpose];
      if (!user || !expected || expected.expiresAt <= clock()) return null;
      if (hashCode(user, code) !== expected.hash) return null;
      delete user.codes[purpose];
      user.confirmed = true;
      store.save();
      return user;
    },
    async setPassword(user, password) {
      user.passwordHash = await hashPassword(password);
      store.save();
    },
    setName(user, name) {
      user.name = name;
      store.save();
    },
    remove(user) {
      delete store.state.users[user.email];
      store.save();
    },
    setEnabled(user, enabled) {
      user.enabled = enabled;
      store.save();
    },
    setGroup(user, group, isMember) {
      const others = user.groups.filter((name) => name !== group);
      user.groups = isMember ? [...others, group] : others;
      store.save();
    },
    async createAdministrator({ email, password }) {
      const user = find(email) ?? (await users.signUp(email, password));
      if (!user) throw new Error(`The account ${email} was created twice.`);
      await users.setPassword(user, password);
      user.confirmed = true;
      users.setEnabled(user, true);
      users.setGroup(user, 'admins', true);
    },
  };
  return users;
}

function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Returns whether this is an email address by the rule of HTML's `<input type=email>` and the length limit of SMTP. */
export function isEmail(value: string): boolean {
  return z.email({ pattern: z.regexes.html5Email }).max(254).safeParse(value.trim()).success;
}

/** The hash includes the user, so that equal codes of two users have different hashes. */
function hashCode(user: User, code: string): string {
  return hashSecret(`${user.sub}:${code.replace(/\s/g, '')}`);
}

const deriveKey = promisify<string, Buffer, number, Buffer>(scrypt);
const KEY_BYTES = 32;

/** Returns the salt and the scrypt key (RFC 7914) of a password, both in base64url and separated by `$`. */
async function hashPassword(password: string, salt = randomBytes(16)): Promise<string> {
  const key = await deriveKey(password.normalize('NFKC'), salt, KEY_BYTES);
  return `${salt.toString('base64url')}$${key.toString('base64url')}`;
}

async function isPassword(password: string, hash: string): Promise<boolean> {
  const [salt = ''] = hash.split('$');
  return (await hashPassword(password, Buffer.from(salt, 'base64url'))) === hash;
}

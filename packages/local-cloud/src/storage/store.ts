import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../start-error.ts';

/** A private RSA key as a JSON Web Key (RFC 7518 section 6.3). */
const rsaKey = z.object({
  kid: z.string(),
  kty: z.literal('RSA'),
  n: z.string(),
  e: z.string(),
  d: z.string(),
  p: z.string(),
  q: z.string(),
  dp: z.string(),
  dq: z.string(),
  qi: z.string(),
});
const appClient = z.object({ id: z.string(), secret: z.string().nullable() });

/** What a reset does not delete, so that the site's environment stays valid. */
const lastingSchema = z.object({
  userPool: z.object({
    id: z.string(),
    clients: z.object({ rotating: appClient, plain: appClient, public: appClient }),
  }),
  identityPool: z.object({ id: z.string() }),
  keys: z.object({ id: rsaKey, access: rsaKey }),
});

const emailedCode = z.object({ hash: z.string(), expiresAt: z.number() });
const stateSchema = lastingSchema.extend({
  /** By email address, in lower case. */
  users: z
    .record(
      z.string(),
      z.object({
        /** Also the username, because users sign in with an email address. */
        sub: z.string(),
        email: z.string(),
        /** Null until the user sets it. */
        name: z.string().nullable().default(null),
        passwordHash: z.string(),
        confirmed: z.boolean(),
        /** False for a user whom an administrator has disabled. */
        enabled: z.boolean().default(true),
        /** The names of the user's groups. */
        groups: z.array(z.string()).default([]),
        codes: z.object({ signUp: emailedCode.optional(), reset: emailedCode.optional() }),
      }),
    )
    .default({}),
  /** The sign-ins, by the claim `origin_jti` of their tokens. */
  grants: z
    .record(
      z.string(),
      z.object({
        originJti: z.string(),
        clientId: z.string(),
        sub: z.string(),
        email: z.string(),
        scopes: z.array(z.string()),
        /** The time of the sign-in in seconds since the epoch. A refresh does not change it. */
        authTime: z.number(),
        expiresAt: z.number(),
        revoked: z.boolean(),
        /** Hashes of the refresh tokens, newest first, with the time at which rotation replaced each. */
        tokens: z.array(z.object({ hash: z.string(), replacedAt: z.number().nullable() })),
      }),
    )
    .default({}),
  /** The sessions of the hosted login, by the hash of their cookie. */
  browserSessions: z
    .record(
      z.string(),
      z.object({ sub: z.string(), email: z.string(), authTime: z.number(), expiresAt: z.number() }),
    )
    .default({}),
  /** The user of each id of the identity pool, or null for a guest. The first id of a user is the valid one. */
  identityOwners: z.record(z.string(), z.string().nullable()).default({}),
  /** The sent emails, newest first. */
  outbox: z
    .array(
      z.object({
        /** The sender, as in the header `From`: a name and an address. */
        from: z.string(),
        to: z.string(),
        subject: z.string(),
        text: z.string(),
        /** The code of six digits in the text, or null. */
        code: z.string().nullable(),
        /** The time in ISO 8601 format. */
        at: z.string(),
      }),
    )
    .default([]),
});

export type RsaKey = z.infer<typeof rsaKey>;
export type LastingState = z.infer<typeof lastingSchema>;
/** Times are in milliseconds since the epoch unless a comment says otherwise. */
export type State = z.infer<typeof stateSchema>;
export type Email = State['outbox'][number];

export type Store = {
  /** Modules read and change it directly, and call `save` after a change. */
  readonly state: State;
  /** Writes the state to disk within 50 ms. */
  save(): void;
  /** Deletes everything but the lasting state. */
  reset(): void;
  /** Writes unsaved changes at once. */
  flush(): void;
};

/**
 * Opens the state, which is the file `state.json` in the folder. With null it exists in memory only. Changes are written
 * to a temporary file that then replaces the old one, so a crash leaves either the old or the new state. Throws when the
 * file is not valid.
 */
export async function openStore(
  directory: string | null,
  createState: () => Promise<LastingState>,
): Promise<Store> {
  const file = directory === null ? null : join(directory, 'state.json');
  const written = file === null ? null : readState(file);
  let state = written ?? stateSchema.parse(await createState());
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    if (!timer || file === null) return;
    clearTimeout(timer);
    timer = undefined;
    writeFileSync(`${file}.tmp`, JSON.stringify(state), { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  }
  function save(): void {
    if (file !== null) timer ??= setTimeout(flush, 50);
  }
  save();
  return {
    get state() {
      return state;
    },
    save,
    flush,
    reset() {
      state = stateSchema.parse(lastingSchema.parse(state));
      save();
    },
  };
}

function readState(file: string): State | null {
  try {
    return stateSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    if (isNodeError(cause, 'ENOENT')) return null;
    throw new StartError(`${file} is not valid. Delete it to start with empty state.`, { cause });
  }
}

/**
 * Creates a folder that only the current user can read, reserves it for this process with a file that contains the
 * process id, and returns a function that releases it. A file that a killed process left is replaced. Throws
 * `StartError`.
 */
export function lockFolder(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'lock');
  const owner = readOwner(file);
  if (owner !== process.pid && isRunning(owner)) {
    throw new StartError(
      `Process ${owner} uses the folder ${directory}. Stop it, or set CLOUD_DATA to another folder. If that process is not a local cloud, delete ${file}.`,
    );
  }
  writeFileSync(file, String(process.pid), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** Returns NaN when there is no process id in the file. */
function readOwner(file: string): number {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch (error) {
    if (isNodeError(error, 'ENOENT')) return Number.NaN;
    throw error;
  }
}

/** Signal 0 only checks that the process exists. `EPERM` means that it exists and belongs to another user. */
function isRunning(processId: number): boolean {
  try {
    return processId > 0 && process.kill(processId, 0);
  } catch (error) {
    return isNodeError(error, 'EPERM');
  }
}

function isNodeError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

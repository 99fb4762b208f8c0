/** Ends sessions of a running site: `npm run sessions -- end SUB` and `npm run sessions -- end-all`. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createClient } from '@redis/client';
import { endSessions } from '@tenfold/cognito-session/operations';
import { isUpstreamError } from '@tenfold/upstream';
import { type Env, parseEnv } from '../app/server/config/env.ts';
import { EnvError } from '../app/server/config/env-error.ts';
import { isPersistent } from './doctor/services/shared-store-persistence.ts';

const HELP = `Ends sessions on all machines of a site that share a Valkey or Redis.

Usage: npm run sessions -- end SUB [--env-file FILE]
       npm run sessions -- end-all [--env-file FILE]

  end SUB           end all sessions of one user; SUB is the user's sub in the user pool, a UUID
  end-all           end all sessions of all users
  --env-file FILE   read the environment of the site from FILE; variables that are already set take precedence
  --help            print this text

Within one second each machine that is connected to the store treats these sessions as expired. A sign-in after that
starts a new session. The command does not end the session at the hosted login, where the user can sign in again without
a password: to keep a user out, disable the user in the user pool first.

The store has to keep its data for SESSION_MAX_DAYS, over restarts too (docs/deployment.md). The command says when it
does not. The global sign-out of Cognito is durable and needs no store: it revokes the refresh tokens of one user, and
each of the user's sessions ends at its next refresh, when its tokens expire. "end" prints the command for it.

Without REDIS_URL the machines share nothing, and this command cannot reach them. To end all sessions, replace
SESSION_SECRETS by a new secret and restart every machine. The sessions of one user cannot be ended at once: sign the
user out globally or disable the user in the user pool, and each of these sessions ends at its next refresh.

Exit codes: 0 the sessions end, 1 they do not, 2 the command could not run.
`;

/** Every sub of a user pool is one. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const PERSISTENCE_TIMEOUT_MS = 2000;

const NOT_PERSISTENT =
  'WARNING: the store does not keep its data. When it restarts together with the site, these sessions continue. Set its appendonly to yes and run this command again.\n';
const UNKNOWN_PERSISTENCE =
  'The store does not say whether it keeps its data. If it does not, run this command again after it has restarted.\n';

/** What the user of the command can correct. `message` is complete sentences. */
class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: 1 | 2,
  ) {
    super(message);
  }
}

type Command = { name: 'help' } | { name: 'end' | 'end-all'; sub: string; envFile: string | null };

process.exitCode = await main().catch((error: unknown) => {
  const isExpected = error instanceof CommandError;
  process.stderr.write(`${isExpected ? error.message : `The command failed: ${String(error)}`}\n`);
  return isExpected ? error.exitCode : 2;
});

async function main(): Promise<number> {
  const command = parseCommand(process.argv.slice(2));
  if (command.name === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  const env = readEnv(command.envFile);
  if (env.redisUrl === null) {
    throw new CommandError(
      'REDIS_URL is not set, so the machines share nothing and no session was ended. --help says what you can do.',
      1,
    );
  }
  const at = await setEnd(command, env.session, env.redisUrl);
  // The sessions end, whatever this returns.
  const keepsData = await readPersistence(env.redisUrl).catch(() => null);
  const whose = command.name === 'end' ? `of ${command.sub}` : 'of all users';
  process.stdout.write(
    `Sessions ${whose} that started before ${new Date(at).toISOString()} end within one second on every machine that is connected to the store.\n`,
  );
  if (keepsData !== true) process.stdout.write(keepsData === false ? NOT_PERSISTENT : UNKNOWN_PERSISTENCE);
  if (command.name === 'end') process.stdout.write(globalSignOut(env.userPool, command.sub));
  return 0;
}

/** What is durable without a store, for the sessions of one user. */
function globalSignOut({ region, id }: Env['userPool'], sub: string): string {
  return `To make this durable in Cognito, revoke the refresh tokens of the user too:\n  aws cognito-idp admin-user-global-sign-out --region ${region} --user-pool-id ${id} --username ${sub}\n`;
}

function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  if (values.help) return { name: 'help' };
  const [name, sub = '', ...rest] = positionals;
  const envFile = values['env-file'] ?? null;
  if (name === 'end' && rest.length === 0) {
    if (UUID.test(sub)) return { name, sub: sub.toLowerCase(), envFile };
    throw new CommandError('"end" needs the sub of a user, a UUID. Use --help for an explanation.', 2);
  }
  if (name === 'end-all' && positionals.length === 1) return { name, sub: '', envFile };
  throw new CommandError(
    'Name one of the commands "end SUB" and "end-all". Use --help for an explanation.',
    2,
  );
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: 'boolean', default: false }, 'env-file': { type: 'string' } },
    });
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : error} Use --help.`, 2);
  }
}

/** The environment as the site reads it. */
function readEnv(envFile: string | null): Env {
  if (envFile !== null) {
    if (!existsSync(envFile)) throw new CommandError(`The environment file ${envFile} does not exist.`, 2);
    process.loadEnvFile(envFile);
  }
  try {
    return parseEnv();
  } catch (error) {
    throw error instanceof EnvError ? new CommandError(error.message, 2) : error;
  }
}

/** Ends the sessions, and returns the time before which they started. */
async function setEnd(
  command: { name: 'end' | 'end-all'; sub: string },
  { namespace, maxAge }: Env['session'],
  store: string,
): Promise<number> {
  const whose = command.name === 'end-all' ? 'all' : { sub: command.sub };
  return endSessions(whose, { store, namespace, maxAge }).catch((error: unknown) => {
    if (error instanceof RangeError) throw new CommandError(`${error.message} Use "end-all".`, 1);
    if (!isUpstreamError(error)) throw error;
    const advice = 'Check REDIS_URL with "npm run doctor", and run the command again.';
    throw new CommandError(`The shared store does not respond (${error.code}). ${advice}`, 1);
  });
}

async function readPersistence(url: string): Promise<boolean | null> {
  const socket = { connectTimeout: PERSISTENCE_TIMEOUT_MS, socketTimeout: PERSISTENCE_TIMEOUT_MS };
  const client = createClient({ url, socket: { ...socket, reconnectStrategy: false } });
  // Without a listener an error event would end the process. `connect` rejects with the same error.
  client.on('error', () => {});
  try {
    await client.connect();
    return await isPersistent(client);
  } finally {
    if (client.isOpen) client.destroy();
  }
}

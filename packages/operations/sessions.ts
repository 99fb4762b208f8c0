/** Ends sessions of a running site: `npm run sessions -- end SUB` and `npm run sessions -- end-all`. */
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Env, parseEnv } from '../../app/server/config/env.ts';
import { EnvError } from '../../app/server/config/env-error.ts';
import { createLog } from '../../app/server/observability/log.ts';
import { noMetrics } from '../../app/server/observability/metrics.ts';
import { systemClock } from '../../app/server/resilience/clock.ts';
import { UpstreamError } from '../../app/server/resilience/upstream-error.ts';
import { ALL_SESSIONS, markOfUser } from '../../app/server/session/ended-sessions.ts';
import {
  createEndMarks,
  type EndMark,
  type EndMarks,
  MAX_MARKS,
} from '../../app/server/shared-store/end-marks.ts';
import { RedisConnection } from '../../app/server/shared-store/redis-connection.ts';

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

Without REDIS_URL the machines share nothing, and this command cannot reach them. To end all sessions, replace
SESSION_SECRETS by a new secret and restart every machine. The sessions of one user cannot be ended: disable the user in
the user pool, and each of these sessions ends at its next refresh.

A store that loses its data, for example at a restart without persistence, loses what this command has set. Machines
that keep running remember it; run the command again for the others.

Exit codes: 0 the sessions end, 1 they do not, 2 the command could not run.
`;

/** Every sub of a user pool is one. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const CONNECT_TIMEOUT_MS = 5000;

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
  const keepMs = env.session.maxAge * 1000;
  const { at } = await withMarks(env.redisUrl, (marks) => setMark(marks, command, keepMs));
  const whose = command.name === 'end' ? `of ${command.sub}` : 'of all users';
  process.stdout.write(
    `Sessions ${whose} that started before ${new Date(at).toISOString()} end within one second on every machine that is connected to the store.\n`,
  );
  return 0;
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

/** Runs `use` with a connection to the store. No message contains the address, which may have a password. */
async function withMarks<Result>(url: string, use: (marks: EndMarks) => Promise<Result>): Promise<Result> {
  const redis = new RedisConnection(url, {
    clock: systemClock,
    log: createLog('silent'),
    metrics: noMetrics,
  });
  try {
    const deadline = performance.now() + CONNECT_TIMEOUT_MS;
    while (!redis.isReady() && performance.now() < deadline) await wait(20);
    return await use(createEndMarks(redis));
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const advice = 'Check REDIS_URL with "npm run doctor", and run the command again.';
    throw new CommandError(`The shared store does not respond (${error.code}). ${advice}`, 1);
  } finally {
    redis.disconnect();
  }
}

async function setMark(
  marks: EndMarks,
  command: { name: 'end' | 'end-all'; sub: string },
  keepMs: number,
): Promise<EndMark> {
  if (command.name === 'end-all') return marks.replaceAll(ALL_SESSIONS, keepMs);
  const mark = await marks.set(markOfUser(command.sub), keepMs);
  if (mark) return mark;
  throw new CommandError(
    `The sessions of ${MAX_MARKS} users have been ended one by one already. Use "end-all".`,
    1,
  );
}

/** The shared store: connection, and settings that lose data. */
import { createClient, ErrorReply } from '@redis/client';
import { type Finding, failure, isLoopback, notChecked, ok, warning } from '../finding.ts';
import { reasonOf } from './http.ts';
import { isPersistent } from './shared-store-persistence.ts';

/** `url` is null for a site without one. */
export async function* checkSharedStore(
  url: string | null,
  timeoutMs: number,
): AsyncGenerator<Finding, void> {
  if (url === null) return yield notChecked('REDIS_URL is not set: each machine uses its in-memory store.');
  const socket = { connectTimeout: timeoutMs, socketTimeout: timeoutMs, reconnectStrategy: false } as const;
  const client = createClient({ url, socket });
  // Without a listener an error event would end the process. `connect` rejects with the same error.
  client.on('error', () => {});
  try {
    await client.connect();
    yield ok('The shared store accepts the connection.');
    yield* assessSettings(await client.info(), new URL(url));
    yield* assessPersistence(await isPersistent(client));
  } catch (error) {
    yield failure(
      `The shared store in REDIS_URL cannot be used (${storeReason(error)}). Each machine uses its in-memory store.`,
      'Check host, port, user name and password in REDIS_URL: rediss:// is for a server with TLS, redis:// for one without. The server has to be Redis 6 or later, or Valkey.',
    );
  } finally {
    if (client.isOpen) client.destroy();
  }
}

/** The first word of an error reply (`WRONGPASS`), else as for other services. Neither contains the address. */
function storeReason(error: unknown): string {
  return error instanceof ErrorReply ? (error.message.split(' ', 1)[0] ?? 'ErrorReply') : reasonOf(error);
}

function* assessSettings(info: string, { protocol, hostname }: URL): Generator<Finding> {
  const fieldOf = (name: string) => new RegExp(`^${name}:(.*)\\r$`, 'm').exec(info)?.[1];
  if (fieldOf('role') === 'slave') {
    const text = 'REDIS_URL leads to a replica, which accepts no writes.';
    yield failure(text, 'Set REDIS_URL to the primary server.');
  }
  const policy = fieldOf('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction' && fieldOf('maxmemory') !== '0') {
    yield warning(
      `The shared store deletes keys when its memory is full (maxmemory-policy ${policy}), also those of closed sessions.`,
      'Set maxmemory-policy to noeviction, and maxmemory high enough. All keys of the site expire.',
    );
  }
  if (protocol === 'redis:' && !isLoopback(hostname)) {
    const fix = 'Use rediss:// unless the network between the machines is private.';
    yield warning(`REDIS_URL uses a connection without TLS to ${hostname}.`, fix);
  }
}

function* assessPersistence(keepsData: boolean | null): Generator<Finding> {
  if (keepsData === null) yield notChecked('The shared store does not say whether it keeps its data.');
  if (keepsData === false) {
    yield warning(
      'The shared store loses its data when it restarts. Ended sessions continue if the site restarts with it.',
      'Set appendonly to yes, with a disk that stays.',
    );
  }
}

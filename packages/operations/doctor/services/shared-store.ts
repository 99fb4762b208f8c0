/** The shared store: connection, version, and settings that lose data. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { createClient } from '@redis/client';
import { isTimeout, untilAborted } from '../../../../app/server/resilience/deadline.ts';
import { errorReason } from '../../../../app/server/shared-store/redis-client.ts';
import { type Finding, ok, problem } from '../findings/finding.ts';
import { isLoopback } from './configuration-checks.ts';

const REDIS_PORT = 6379;

/** Connects to the store and returns what is wrong with it. Never rejects. */
export async function checkStore(
  url: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Finding | Finding[]> {
  const client = createClient({ url, socket: { connectTimeout: timeoutMs, reconnectStrategy: false } });
  // Without a listener an error event would end the process. `connect` rejects with the same error.
  client.on('error', () => {});
  try {
    await untilAborted(client.connect(), signal);
    return assessStore(parseInfo(await untilAborted(client.info(), signal)), new URL(url));
  } catch (error) {
    return explainError(error, new URL(url), AbortSignal.timeout(timeoutMs));
  } finally {
    if (client.isOpen) client.destroy();
  }
}

/** The fields of the `INFO` reply, one a line. */
function parseInfo(info: string): Map<string, string> {
  return new Map(
    info.split('\r\n').flatMap((line) => {
      const [name, value] = line.split(/:(.*)/s);
      return name && value !== undefined ? [[name, value]] : [];
    }),
  );
}

function assessStore(info: ReadonlyMap<string, string>, { protocol, hostname }: URL): Finding[] {
  const version = info.get('redis_version') ?? 'unknown';
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  const found: Finding[] = [];
  if (info.get('role') === 'slave') found.push(problem('store-read-only', {}));
  if (policy !== 'noeviction' && info.get('maxmemory') !== '0') {
    found.push(problem('store-evicts-keys', { policy }));
  }
  if (protocol === 'redis:' && !isLoopback(hostname)) {
    found.push(problem('store-not-encrypted', { host: hostname }));
  }
  return found.length > 0 ? found : [ok(`The shared store runs version ${version}.`)];
}

async function explainError(error: unknown, url: URL, signal: AbortSignal): Promise<Finding> {
  const reason = isTimeout(error) ? 'no response' : errorReason(error);
  if (error instanceof Error && /unknown command/i.test(error.message)) return problem('store-too-old', {});
  if (/^(WRONGPASS|NOAUTH|NOPERM|ERR$)/.test(reason)) return problem('store-login-rejected', { reason });
  return (await isTlsMismatch(reason, url, signal))
    ? problem('store-tls-mismatch', { reason })
    : problem('store-unreachable', { reason });
}

/** A server closes a connection that uses TLS against its configuration, or waits for the rest of a command. */
async function isTlsMismatch(reason: string, { protocol, hostname, port }: URL, signal: AbortSignal) {
  if (/SSL|TLS|CERT|SIGNATURE|EPROTO/i.test(reason)) return true;
  if (protocol === 'redis:') return /ECONNRESET|SocketClosed/.test(reason);
  if (!/Timeout|no response/.test(reason)) return false;
  const socket = connect(Number(port || REDIS_PORT), hostname);
  return once(socket, 'connect', { signal })
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

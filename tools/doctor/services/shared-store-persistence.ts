/** Whether a shared store keeps its data when it restarts. */
import { ErrorReply } from '@redis/client';

/** The part of a Redis client that is needed here. */
type PersistenceSource = {
  info(section: string): Promise<string>;
  configGet(parameter: string): Promise<Record<string, string>>;
};

/**
 * Returns whether the store writes an append-only file or snapshots; null if it does not say, because it does not allow
 * `CONFIG`. Rejects when it does not respond.
 */
export async function isPersistent(client: PersistenceSource): Promise<boolean | null> {
  if ((await client.info('persistence')).includes('aof_enabled:1')) return true;
  const { save } = await client.configGet('save').catch((error: unknown) => {
    if (error instanceof ErrorReply) return { save: undefined };
    throw error;
  });
  return save === undefined ? null : save !== '';
}

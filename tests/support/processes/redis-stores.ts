/** Redis stores as several machines open them. */
import { expect, vi } from 'vitest';
import { noMetrics } from '../../../app/server/metrics/metrics.ts';
import { createInMemoryStore } from '../../../packages/cognito-session/src/shared-store/in-memory-store.ts';
import { RedisConnection } from '../../../packages/cognito-session/src/shared-store/redis-connection.ts';
import { RedisStore } from '../../../packages/cognito-session/src/shared-store/redis-store.ts';
import type { SharedStore } from '../../../packages/cognito-session/src/shared-store/shared-store.ts';
import { createLog } from '../../../packages/site-server/src/log/log.ts';

export type RedisStores = {
  /** Opens the store of another machine and waits until it is connected. */
  open(url: string): Promise<SharedStore>;
  /** Opens a store at an address where no server may be. */
  openUnconnected(url: string): SharedStore;
  /** The log lines of all stores that are open. */
  lines(): string[];
  closeAll(): void;
};

export function createRedisStores(): RedisStores {
  const stores: SharedStore[] = [];
  let allLines: string[] = [];

  const connect = (url: string, write: (line: string) => void): SharedStore => {
    const log = createLog('debug', { write });
    const redis = new RedisConnection(url, { clock: Date.now, log, metrics: noMetrics });
    const localStore = createInMemoryStore(Date.now);
    const store = new RedisStore({ redis, localStore, clock: Date.now, namespace: 'tenfold' });
    stores.push(store);
    return store;
  };

  return {
    async open(url) {
      const lines: string[] = [];
      const store = connect(url, (line) => {
        lines.push(line);
        allLines.push(line);
      });
      await vi.waitFor(() => expect(lines.join('')).toContain('shared store connected'), { timeout: 60_000 });
      return store;
    },
    openUnconnected: (url) => connect(url, (line) => void allLines.push(line)),
    lines: () => allLines,
    closeAll() {
      for (const store of stores.splice(0)) store.disconnect();
      allLines = [];
    },
  };
}

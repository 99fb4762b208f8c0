/** Redis stores as several machines open them. */
import { expect, vi } from 'vitest';
import { createLog } from '../../../app/server/observability/log.ts';
import { noMetrics } from '../../../app/server/observability/metrics.ts';
import { createInMemoryStore } from '../../../app/server/shared-store/in-memory-store.ts';
import { RedisConnection } from '../../../app/server/shared-store/redis-connection.ts';
import { RedisStore } from '../../../app/server/shared-store/redis-store.ts';
import type { SharedStore } from '../../../app/server/shared-store/shared-store.ts';

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
    const store = new RedisStore({ redis, localStore: createInMemoryStore(Date.now), clock: Date.now });
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
      await vi.waitFor(() => expect(lines.join('')).toContain('shared store connected'), { timeout: 20_000 });
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

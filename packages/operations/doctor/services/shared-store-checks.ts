import { toAbortSignal } from '../../../../app/server/resilience/call-signal.ts';
import { withDeadline } from '../../../../app/server/resilience/deadline.ts';
import { notChecked } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';

/** The check of the shared store. `url` is null for a site without one. */
export function createSharedStoreChecks(url: string | null, timeoutMs: number): Check[] {
  return [
    {
      name: 'Shared store',
      async run(signal) {
        if (url === null) return notChecked('REDIS_URL is not set: each machine uses its in-memory store.');
        // The Redis client takes as long to load as everything else.
        const { checkStore } = await import('./shared-store.ts');
        return withDeadline(timeoutMs, signal, (limit) => checkStore(url, timeoutMs, toAbortSignal(limit)));
      },
    },
  ];
}

import type { UpstreamMetrics } from '#upstream';

/** Counts what happens to sessions. */
export type SessionMetrics = UpstreamMetrics & {
  /** `adopted`: another machine had refreshed the session. */
  refreshEnded(outcome: 'refreshed' | 'adopted' | 'refused' | 'unavailable' | 'closed'): void;
};

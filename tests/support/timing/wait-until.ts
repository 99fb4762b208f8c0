import { setTimeout as delay } from 'node:timers/promises';

export type WaitOptions = {
  /** Describes the failure when the time is over. */
  message: () => string;
  timeoutMs?: number;
  intervalMs?: number;
};

/** Calls `condition` until it returns true. Rejects when it throws, and after `timeoutMs`. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  { message, timeoutMs = 20_000, intervalMs = 50 }: WaitOptions,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(message());
    await delay(intervalMs);
  }
}

/** The icons that one document asks for while it is rendered. */
import type { IconifyIcon } from '@iconify/types';
import { type Schedule, scheduleTimeout } from '../../icons/host-race.ts';
import type { Icons } from '../icons/icons.ts';
import type { Log } from '../observability/log.ts';

export type DocumentIcons = {
  /**
   * The icon with this full name (`mdi:home`), or null if it does not exist or did not load in time. Throws a promise
   * while the icon loads, so the caller must be inside a `Suspense`.
   */
  draw(id: string): IconifyIcon | null;
};

const TIMEOUT_MS = 1500;

/**
 * Draws what is at hand at once and tells what the document waits for of the rest, 1500 ms for each icon at most. What has not come by
 * then is left to the browser, with a line in the log; it is there for the next document if it still arrives.
 */
export function createDocumentIcons(
  icons: Pick<Icons, 'find' | 'load'>,
  log: Log,
  schedule: Schedule = scheduleTimeout,
): DocumentIcons & { waiting(): Promise<unknown> | null } {
  const settled = new Map<string, IconifyIcon | null>();
  const waiting = new Map<string, Promise<void>>();

  const load = async (id: string): Promise<void> => {
    const answer = await withinTime(icons.load(id), schedule);
    settled.set(id, answer?.state === 'loaded' ? answer.icon : null);
    waiting.delete(id);
    if (answer?.state === 'loaded') return;
    const icon = `\`${id.slice(0, 200)}\``;
    log.warn(
      answer
        ? `[Icon] failed to load icon ${icon}`
        : `[Icon] loading icon ${icon} timed out after ${TIMEOUT_MS}ms`,
    );
  };

  return {
    draw(id) {
      const icon = settled.get(id) ?? icons.find(id);
      if (icon || settled.has(id)) return icon;
      const loading = waiting.get(id) ?? load(id);
      waiting.set(id, loading);
      // Not a failure: this is how a component tells React 18's Suspense to come back later.
      throw loading;
    },
    waiting: () => (waiting.size > 0 ? Promise.all(waiting.values()) : null),
  };
}

function withinTime<T>(promise: Promise<T>, schedule: Schedule): Promise<T | null> {
  return new Promise((resolve) => {
    const cancel = schedule(() => resolve(null), TIMEOUT_MS);
    void promise.then(resolve).finally(cancel);
  });
}

/** The icons of one document, which load while the document is rendered. */
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
 * Creates the icons of one document. `pending` resolves when the icons that are loading have loaded, or failed, or
 * 1500 ms have passed; it returns null when none is loading. A missing icon is logged, and the browser loads it later.
 */
export function createDocumentIcons(
  icons: Pick<Icons, 'find' | 'load'>,
  log: Log,
  schedule: Schedule = scheduleTimeout,
): DocumentIcons & { pending(): Promise<unknown> | null } {
  const settled = new Map<string, IconifyIcon | null>();
  const loads = new Map<string, Promise<void>>();

  const load = async (id: string): Promise<void> => {
    const loaded = await withinTime(icons.load(id), schedule);
    settled.set(id, loaded?.state === 'loaded' ? loaded.icon : null);
    loads.delete(id);
    if (loaded?.state === 'loaded') return;
    const icon = `\`${id.slice(0, 200)}\``;
    log.warn(
      loaded
        ? `[Icon] failed to load icon ${icon}`
        : `[Icon] loading icon ${icon} timed out after ${TIMEOUT_MS}ms`,
    );
  };

  return {
    draw(id) {
      const icon = settled.get(id) ?? icons.find(id);
      if (icon || settled.has(id)) return icon;
      const loading = loads.get(id) ?? load(id);
      loads.set(id, loading);
      // React 18's Suspense renders the component again when a thrown promise has settled.
      throw loading;
    },
    pending: () => (loads.size > 0 ? Promise.all(loads.values()) : null),
  };
}

function withinTime<T>(promise: Promise<T>, schedule: Schedule): Promise<T | null> {
  return new Promise((resolve) => {
    const cancel = schedule(() => resolve(null), TIMEOUT_MS);
    void promise.then(resolve).finally(cancel);
  });
}

/** The browser's icon loader. Its only host is the site, which proxies other icon hosts. */
import { getIconData } from '@iconify/utils/lib/icon-set/get-icon';
import { createIconLoader, type IconLoader, type Icons } from './icon-loader.ts';

export const browserIconLoader: IconLoader = createIconLoader({
  hosts: [typeof location === 'undefined' ? '/api/icons' : `${location.origin}/api/icons`],
  fetchIcons,
  memory: new Map(),
});

async function fetchIcons(address: string, _collection: string, signal: AbortSignal): Promise<Icons | null> {
  const response = await fetch(address, { signal, headers: { accept: 'application/json' } });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`${address} returned status ${response.status}`);
  const collection = await response.json();
  const names = [...Object.keys(collection.icons), ...Object.keys(collection.aliases ?? {})];
  return Object.fromEntries(
    names.flatMap((name) => {
      const icon = getIconData(collection, name);
      return icon ? [[name, icon] as const] : [];
    }),
  );
}

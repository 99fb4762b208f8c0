/**
 * Icon collections that are installed as packages `@iconify-json/{collection}`. The build contains copies of them
 * (tools/build/vite-plugins/icon-collections.ts), so that production needs no node_modules.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { IconifyIcon, IconifyJSON } from '@iconify/types';
import { getIconData } from '@iconify/utils/lib/icon-set/get-icon';
import { getIcons } from '@iconify/utils/lib/icon-set/get-icons';
import { type IconId, isIconName } from './icon-names.ts';

export type InstalledIcons = {
  /** The named icons of a collection, without unknown names. Null when the collection is not installed. */
  subset(collection: string, names: readonly string[]): IconifyJSON | null;
  /** One icon, or null. */
  find(id: IconId): IconifyIcon | null;
};

const require = createRequire(import.meta.url);

/**
 * Reads `{collection}.json` in `directory`, or the installed packages when `directory` is null. Each collection is read
 * at its first use and stays in memory.
 */
export function createInstalledIcons(directory: string | null = null): InstalledIcons {
  const collections = new Map<string, IconifyJSON>();
  const getCollection = (name: string): IconifyJSON | null => {
    const known = collections.get(name);
    if (known || !isIconName(name)) return known ?? null;
    const collection = readCollection(name, directory);
    if (collection) collections.set(name, collection);
    return collection;
  };
  return {
    subset(name, iconNames) {
      const collection = getCollection(name);
      const subset = collection && getIcons(collection, [...iconNames], true);
      if (subset) delete subset.not_found;
      return subset;
    },
    find(id) {
      const collection = getCollection(id.collection);
      return collection ? getIconData(collection, id.name) : null;
    },
  };
}

function readCollection(name: string, directory: string | null): IconifyJSON | null {
  const path = directory === null ? packagePath(name) : join(directory, `${name}.json`);
  if (path === null || !existsSync(path)) return null;
  // All packages of this name have this format.
  return withoutInheritedKeys(JSON.parse(readFileSync(path, 'utf8')) as IconifyJSON);
}

function packagePath(name: string): string | null {
  try {
    return require.resolve(`@iconify-json/${name}/icons.json`);
  } catch {
    return null;
  }
}

/** A copy in which no lookup finds an inherited property: `constructor` is a valid icon name. */
export function withoutInheritedKeys(collection: IconifyJSON): IconifyJSON {
  return {
    ...collection,
    icons: Object.assign(Object.create(null), collection.icons),
    aliases: Object.assign(Object.create(null), collection.aliases),
  };
}

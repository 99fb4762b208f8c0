/**
 * Icon collections that are installed with the site: every package `@iconify-json/{collection}`. The build holds copies
 * of them (scripts/vite-plugins/icon-collections.ts), so that production needs no node_modules.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { IconifyIcon, IconifyJSON } from '@iconify/types';
import { getIconData } from '@iconify/utils/lib/icon-set/get-icon';
import { getIcons } from '@iconify/utils/lib/icon-set/get-icons';
import { type IconId, isIconName } from '../../icons/icon-request.ts';

export type InstalledIcons = {
  /**
   * The named icons of a collection, aliases with what they stand for; names it does not have are left out. Null when
   * the collection is not installed.
   */
  subset(collection: string, names: readonly string[]): IconifyJSON | null;
  /** One icon, or null. */
  find(id: IconId): IconifyIcon | null;
};

const require = createRequire(import.meta.url);

/**
 * Reads `{collection}.json` in `directory`, or the installed packages when there is no directory. A collection is read
 * on first use and stays in memory: half a megabyte for one as large as Lucide.
 */
export function createInstalledIcons(directory: string | null = null): InstalledIcons {
  const collections = new Map<string, IconifyJSON>();
  const open = (name: string): IconifyJSON | null => {
    const known = collections.get(name);
    if (known || !isIconName(name)) return known ?? null;
    const read = readCollection(name, directory);
    if (read) collections.set(name, read);
    return read;
  };
  return {
    subset(collection, names) {
      const set = open(collection);
      const subset = set && getIcons(set, [...names], true);
      if (subset) delete subset.not_found;
      return subset;
    },
    find({ collection, name }) {
      const set = open(collection);
      return set ? getIconData(set, name) : null;
    },
  };
}

function readCollection(name: string, directory: string | null): IconifyJSON | null {
  const path = directory === null ? packagePath(name) : join(directory, `${name}.json`);
  if (path === null || !existsSync(path)) return null;
  // A package of this project's own choosing, in the format that its name promises.
  return withoutInheritedNames(JSON.parse(readFileSync(path, 'utf8')) as IconifyJSON);
}

function packagePath(name: string): string | null {
  try {
    return require.resolve(`@iconify-json/${name}/icons.json`);
  } catch {
    return null;
  }
}

/** `constructor` follows the rule for names, but is not an icon of every collection. */
export function withoutInheritedNames(set: IconifyJSON): IconifyJSON {
  return {
    ...set,
    icons: Object.assign(Object.create(null), set.icons),
    aliases: Object.assign(Object.create(null), set.aliases),
  };
}

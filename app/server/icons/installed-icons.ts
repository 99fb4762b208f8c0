/** Icon collections that are installed with the site: every package `@iconify-json/{collection}`. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

/** Reads each collection when it is first asked for, and keeps it: half a megabyte for one as large as Lucide. */
export function createInstalledIcons(): InstalledIcons {
  const collections = new Map<string, IconifyJSON>();
  const open = (name: string): IconifyJSON | null => {
    const known = collections.get(name);
    if (known || !isIconName(name)) return known ?? null;
    const read = readCollection(name);
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

function readCollection(name: string): IconifyJSON | null {
  let path: string;
  try {
    path = require.resolve(`@iconify-json/${name}/icons.json`);
  } catch {
    return null;
  }
  // A package of this project's own choosing, in the format that its name promises.
  return withoutInheritedNames(JSON.parse(readFileSync(path, 'utf8')) as IconifyJSON);
}

/** `constructor` follows the rule for names, but is not an icon of every collection. */
export function withoutInheritedNames(set: IconifyJSON): IconifyJSON {
  return {
    ...set,
    icons: Object.assign(Object.create(null), set.icons),
    aliases: Object.assign(Object.create(null), set.aliases),
  };
}

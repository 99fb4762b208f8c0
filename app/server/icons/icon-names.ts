/** The names of icons (`{collection}:{name}`, as in `lucide:globe`), and lists of them in addresses. */

export type IconId = { collection: string; name: string };

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Longer than any name in a published collection. */
const MAX_NAME_LENGTH = 128;

/** Hosts and the proxies before them accept addresses up to this length. */
const MAX_URL_LENGTH = 500;

/** Whether the name of an icon or a collection is valid: words of a-z and 0-9, joined by hyphens. */
export function isIconName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && NAME.test(name);
}

/** The two parts of an icon's full name, or null if either is invalid. */
export function parseIconId(id: string): IconId | null {
  const [collection = '', name = '', ...rest] = id.split(':');
  return rest.length === 0 && isIconName(collection) && isIconName(name) ? { collection, name } : null;
}

/**
 * The address of icons in the API of https://iconify.design, without the host. A comma needs no escape in a query (RFC
 * 3986 section 3.4).
 */
export function iconPath(collection: string, names: readonly string[]): string {
  return `/${collection}.json?icons=${names.join(',')}`;
}

/**
 * Sorts names and splits them into batches, so that each address is shorter than 500 characters on a host whose origin
 * has `hostLength` characters. A name that is too long for any address gets a batch of its own.
 */
export function batchNames(collection: string, names: Iterable<string>, hostLength: number): string[][] {
  const batches: string[][] = [];
  for (const name of [...names].sort()) {
    const batch = batches.at(-1);
    if (batch && hostLength + iconPath(collection, [...batch, name]).length < MAX_URL_LENGTH)
      batch.push(name);
    else batches.push([name]);
  }
  return batches;
}

/** The addresses under which hosts answer icons: `{host}/{collection}.json?icons={name},{name}`. Pure. */

/** What every host and every proxy before it takes. */
const MAX_URL_LENGTH = 500;

/** The address of some icons of one collection at a host. A comma may stand in a query as it is (RFC 3986 section 3.4). */
export function iconAddress(host: string, collection: string, names: readonly string[]): string {
  return `${host}/${collection}.json?icons=${names.join(',')}`;
}

/**
 * Sorts names, drops doubles, and parts them so that no address comes to 500 characters, whichever of the hosts is
 * asked. A name too long for any address goes alone.
 */
export function partNames(
  collection: string,
  names: Iterable<string>,
  hosts: readonly string[],
): readonly (readonly string[])[] {
  const longestHost = Math.max(0, ...hosts.map((host) => host.length));
  const room = MAX_URL_LENGTH - longestHost - iconAddress('', collection, []).length;
  const parts: string[][] = [];
  let length = 0;
  for (const name of [...new Set(names)].sort()) {
    const part = parts.at(-1);
    length += name.length + 1;
    if (part && length < room) {
      part.push(name);
    } else {
      parts.push([name]);
      length = name.length;
    }
  }
  return parts;
}

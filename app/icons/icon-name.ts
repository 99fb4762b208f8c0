/** How icons are called: `{collection}:{name}`, as in `lucide:globe`. */

export type IconId = { collection: string; name: string };

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Longer than any name in a published collection. */
const MAX_NAME_LENGTH = 128;

/** Whether the name of an icon or of a collection follows the rule: words of a-z and 0-9, joined by hyphens. */
export function isIconName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && NAME.test(name);
}

/** The two parts of an icon's full name, or null where either breaks the rule. */
export function parseIconId(id: string): IconId | null {
  const [collection = '', name = '', ...rest] = id.split(':');
  return rest.length === 0 && isIconName(collection) && isIconName(name) ? { collection, name } : null;
}

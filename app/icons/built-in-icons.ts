/**
 * Icons that the code names, from Lucide (https://lucide.dev, ISC License). A build contains only the icons that appear
 * in the code as `'lucide:{name}'`. For icons whose names come from data there is `DynamicIcon`.
 */

import { usedIcons } from 'virtual:used-icons';
import type lucide from '@iconify-json/lucide/icons.json';

export type IconName = `lucide:${keyof (typeof lucide)['icons']}`;

/** Icons that point in reading direction. They are mirrored in right-to-left text. */
const directional: ReadonlySet<IconName> = new Set<IconName>([
  'lucide:arrow-right',
  'lucide:chevron-right',
  'lucide:log-out',
  'lucide:send',
]);

export type BuiltInIcon = { body: string; isDirectional: boolean };

/** The markup inside an icon's `<svg>`. Throws for a name that the code does not contain as one string. */
export function builtInIcon(name: IconName): BuiltInIcon {
  const body = usedIcons[name];
  if (body === undefined)
    throw new Error(
      `The icon ${name} is not in the build: write its name as one string, or use DynamicIcon.`,
    );
  return { body, isDirectional: directional.has(name) };
}

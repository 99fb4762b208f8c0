/**
 * The icons that stand in the code: from Lucide (https://lucide.dev, ISC License), of which a build holds those that it
 * names as `'lucide:{name}'`, drawn into the page. Icons that come from data are for `DynamicIcon`.
 */

import { usedIcons } from 'virtual:used-icons';
import type lucide from '@iconify-json/lucide/icons.json';

export type IconName = `lucide:${keyof (typeof lucide)['icons']}`;

/** Those that point in reading direction: mirrored where text runs from right to left. */
const pointing: ReadonlySet<IconName> = new Set<IconName>([
  'lucide:arrow-right',
  'lucide:chevron-right',
  'lucide:log-out',
  'lucide:send',
]);

export type DrawnIcon = { viewBox: string; body: string; points: boolean };

/** How an icon is drawn: the markup inside its `<svg>`. Throws for a name that does not stand whole in the code. */
export function drawnIcon(name: IconName): DrawnIcon {
  const icon = usedIcons[name];
  if (!icon)
    throw new Error(
      `The icon ${name} is not in the build: write its name as one string, or use DynamicIcon.`,
    );
  return { ...icon, points: pointing.has(name) };
}

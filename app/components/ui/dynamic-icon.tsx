import type { IconifyIcon } from '@iconify/types';
import { iconToSVG } from '@iconify/utils/lib/svg/build';
import { useEffect, useId, useState } from 'react';
import type { PreparedIcons } from '~/server/icons/icons.ts';

type Props = {
  name: string;
  /** What the page's loader got from `context.icons.prepare`. */
  prepared: PreparedIcons;
  className?: string;
};

/**
 * An icon whose name comes from data, as `{collection}:{name}` of Iconify (https://icon-sets.iconify.design). For a name in
 * the code use `Icon`, which needs no request.
 *
 * The server draws a prepared icon. The browser loads any other from `/api/icons` after hydration. Until then, and if there
 * is no such icon, its space stays empty.
 */
export function DynamicIcon({ name, prepared, className = 'size-[1.15em]' }: Props) {
  const scope = useId();
  const loaded = useLoadedIcon(name, Object.hasOwn(prepared, name));
  const icon = Object.hasOwn(prepared, name) ? prepared[name] : loaded;
  const svg = icon ? iconToSVG(icon) : null;
  return (
    <svg
      aria-hidden="true"
      focusable="false"
      viewBox={svg?.attributes.viewBox ?? '0 0 24 24'}
      className={`inline-block shrink-0 ${className}`}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: installed, or checked by the server's isSafeSvgBody
      dangerouslySetInnerHTML={{ __html: svg ? scopeIds(svg.body, scope.replaceAll(':', '')) : '' }}
    />
  );
}

/** The icon with this name after it was loaded in the browser. */
function useLoadedIcon(name: string, isPrepared: boolean): IconifyIcon | undefined {
  const [loaded, setLoaded] = useState<{ name: string; icon: IconifyIcon } | null>(null);
  useEffect(() => {
    if (isPrepared) return;
    let isCurrent = true;
    const load = async () => {
      const { loadIcon } = await import('~/icons/browser-icons.ts');
      const icon = await loadIcon(name);
      if (isCurrent) setLoaded({ name, icon });
    };
    load().catch(() => console.warn(`[Icon] failed to load icon \`${name}\``));
    return () => {
      isCurrent = false;
    };
  }, [name, isPrepared]);
  return loaded?.name === name ? loaded.icon : undefined;
}

/** Makes the ids inside an icon unique, because a page may contain the same icon twice. */
function scopeIds(body: string, scope: string): string {
  const ids = [...body.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
  return ids.reduce((text, id) => {
    const literal = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    // An id or a reference to it (`#id`), and the animation that starts another one (`id.end`).
    const uses = new RegExp(`(?<=\\sid="|#)${literal}(?=["')])|(?<=["; ])${literal}(?=\\.[a-z])`, 'g');
    return text.replace(uses, `${scope}-${id}`);
  }, body);
}

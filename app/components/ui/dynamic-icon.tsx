import type { IconifyIcon } from '@iconify/types';
import { iconToSVG } from '@iconify/utils/lib/svg/build';
import { Suspense, useContext, useEffect, useId, useRef, useState } from 'react';
import { DocumentContext } from '~/components/document/document-context.ts';
import { browserIconLoader } from '~/icons/browser-icon-loader.ts';

type Props = { name: string; className?: string };

/**
 * An icon whose name comes from data, as `{collection}:{name}` of Iconify (https://icon-sets.iconify.design). For a name in
 * the code use `Icon`, which needs no request.
 *
 * The server renders the icon if it has it or can load it within 1500 ms. Otherwise the browser loads it from `/api/icons`
 * after hydration. Until then, and if there is no such icon, its space stays empty.
 */
export function DynamicIcon({ name, className = 'size-[1.15em]' }: Props) {
  return (
    <Suspense fallback={<svg aria-hidden="true" className={`inline-block shrink-0 ${className}`} />}>
      <Drawing key={name} name={name} className={className} />
    </Suspense>
  );
}

type Svg = { viewBox: string; body: string };

function Drawing({ name, className }: Required<Props>) {
  const document = useContext(DocumentContext);
  const scope = useId();
  const element = useRef<SVGSVGElement>(null);
  const serverIcon = document?.icons.draw(name);
  const [svg, setSvg] = useState(serverIcon ? toSvg(serverIcon, scope) : null);

  useEffect(() => {
    // Keeps what the server rendered.
    const rendered = element.current?.innerHTML;
    if (rendered) return setSvg({ viewBox: element.current?.getAttribute('viewBox') ?? '', body: rendered });
    let isUnmounted = false;
    const show = (icon: IconifyIcon) => {
      if (!isUnmounted) setSvg(toSvg(icon, scope));
    };
    void browserIconLoader.load(name, show).then((loaded) => {
      if (loaded.state === 'loaded') show(loaded.icon);
      else console.warn(`[Icon] failed to load icon \`${name}\``);
    });
    return () => {
      isUnmounted = true;
    };
  }, [name, scope]);

  return (
    <svg
      ref={element}
      aria-hidden="true"
      focusable="false"
      viewBox={svg?.viewBox ?? '0 0 24 24'}
      className={`inline-block shrink-0 ${className}`}
      // During hydration the browser does not have the icon that the server rendered.
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: installed, or checked by the server's isSafeSvgBody
      dangerouslySetInnerHTML={{ __html: svg?.body ?? '' }}
    />
  );
}

function toSvg(icon: IconifyIcon, scope: string): Svg {
  const { attributes, body } = iconToSVG(icon);
  return { viewBox: attributes.viewBox, body: scopeIds(body, scope.replaceAll(':', '')) };
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

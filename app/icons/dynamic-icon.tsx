import type { IconifyIcon } from '@iconify/types';
import { iconToSVG } from '@iconify/utils/lib/svg/build';
import { Suspense, useContext, useEffect, useId, useRef, useState } from 'react';
import { DocumentContext } from '~/components/document/document-context.ts';
import { browserIcons } from '~/icons/browser-icon-loader.ts';

type Props = { name: string; className?: string };

/**
 * An icon whose name is not known when the site is built: it comes from data. Any `{collection}:{name}` of Iconify
 * (https://icon-sets.iconify.design) will do; for a name that stands in the code use `Icon`, which costs no request.
 *
 * The server draws it with the page if it has it or gets it within 1500 ms. Else the browser loads it from
 * `/api/icons` once the page is there. Until then, and where there is no such icon, its place is kept empty.
 */
export function DynamicIcon({ name, className = 'size-[1.15em]' }: Props) {
  return (
    <Suspense fallback={<svg aria-hidden="true" className={`inline-block shrink-0 ${className}`} />}>
      <Drawing key={name} name={name} className={className} />
    </Suspense>
  );
}

type Drawn = { viewBox: string; body: string };

function Drawing({ name, className }: Required<Props>) {
  const document = useContext(DocumentContext);
  const scope = useId();
  const svg = useRef<SVGSVGElement>(null);
  const atHand = document?.icons.draw(name);
  const [drawn, setDrawn] = useState(atHand ? draw(atHand, scope) : null);

  useEffect(() => {
    // What the server drew is taken over as it stands.
    const present = svg.current?.innerHTML;
    if (present) return setDrawn({ viewBox: svg.current?.getAttribute('viewBox') ?? '', body: present });
    let isGone = false;
    const show = (icon: IconifyIcon) => {
      if (!isGone) setDrawn(draw(icon, scope));
    };
    void browserIcons.load(name, show).then((answer) => {
      if (answer.state === 'loaded') show(answer.icon);
      else console.warn(`[Icon] failed to load icon \`${name}\``);
    });
    return () => {
      isGone = true;
    };
  }, [name, scope]);

  return (
    <svg
      ref={svg}
      aria-hidden="true"
      focusable="false"
      viewBox={drawn?.viewBox ?? '0 0 24 24'}
      className={`inline-block shrink-0 ${className}`}
      // The browser takes the page over without the drawing that the server put in.
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: installed, or judged by the server's isSafeSvgBody
      dangerouslySetInnerHTML={{ __html: drawn?.body ?? '' }}
    />
  );
}

function draw(icon: IconifyIcon, scope: string): Drawn {
  const { attributes, body } = iconToSVG(icon);
  return { viewBox: attributes.viewBox, body: scopeIds(body, scope.replaceAll(':', '')) };
}

/** Makes an icon's own ids its own in the page: the same icon may stand there twice. */
function scopeIds(body: string, scope: string): string {
  const ids = [...body.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
  return ids.reduce((text, id) => {
    const literal = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    // As an id or a reference to one, and as the animation that another one begins with.
    const uses = new RegExp(`(?<=\\sid="|#)${literal}(?=["')])|(?<=["; ])${literal}(?=\\.[a-z])`, 'g');
    return text.replace(uses, `${scope}-${id}`);
  }, body);
}

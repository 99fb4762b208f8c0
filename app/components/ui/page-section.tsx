import { type ReactElement, type ReactNode, useId } from 'react';
import { StaticPart } from '../document/static-part.tsx';

type PageSectionProps = {
  title: ReactNode;
  intro?: ReactNode;
  /** The fragment of links to this section. */
  id?: string;
} & ({ isStatic?: false; children: ReactNode } | { isStatic: true; children: ReactElement });

/** A section of a page with a second-level heading. With `isStatic` the rules of `StaticPart` hold for its content. */
export function PageSection({ title, intro, id, ...content }: PageSectionProps) {
  const headingId = useId();
  return (
    <section id={id} aria-labelledby={headingId} className="mt-20 sm:mt-28">
      <h2 id={headingId} className="text-heading">
        {title}
      </h2>
      {intro ? <p className="mt-3 max-w-prose text-ink-muted">{intro}</p> : null}
      {content.isStatic ? (
        <StaticPart className="mt-8">{content.children}</StaticPart>
      ) : (
        <div className="mt-8">{content.children}</div>
      )}
    </section>
  );
}

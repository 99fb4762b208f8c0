import { type ReactNode, useId } from 'react';

type PageSectionProps = {
  title: ReactNode;
  intro?: ReactNode;
  /** The fragment of links to this section. */
  id?: string;
  children: ReactNode;
};

/** A section of a page with a second-level heading. */
export function PageSection({ title, intro, id, children }: PageSectionProps) {
  const headingId = useId();
  return (
    <section id={id} aria-labelledby={headingId} className="mt-20 sm:mt-28">
      <h2 id={headingId} className="text-heading">
        {title}
      </h2>
      {intro ? <p className="mt-3 max-w-prose text-ink-muted">{intro}</p> : null}
      <div className="mt-8">{children}</div>
    </section>
  );
}

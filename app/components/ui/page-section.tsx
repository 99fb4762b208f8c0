import { type ReactNode, useId } from 'react';

type PageSectionProps = { title: ReactNode; intro?: ReactNode; children: ReactNode };

/** A section of a page with a second-level heading. */
export function PageSection({ title, intro, children }: PageSectionProps) {
  const headingId = useId();
  return (
    <section aria-labelledby={headingId} className="mt-20 sm:mt-28">
      <h2 id={headingId} className="text-heading">
        {title}
      </h2>
      {intro ? <p className="mt-3 max-w-prose text-ink-muted">{intro}</p> : null}
      <div className="mt-8">{children}</div>
    </section>
  );
}

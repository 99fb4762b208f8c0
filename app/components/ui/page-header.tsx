import type { ReactNode } from 'react';

/** A page's title and introduction. The title gets the focus after a client-side navigation. */
export function PageHeader({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <header className="max-w-[52rem] pt-10 pb-8 sm:pt-16 sm:pb-12">
      <h1 tabIndex={-1} className="text-title">
        {title}
      </h1>
      {children ? <p className="mt-4 max-w-prose text-lead text-ink-muted">{children}</p> : null}
    </header>
  );
}

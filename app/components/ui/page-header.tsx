import type { ReactNode } from 'react';

type PageHeaderProps = {
  title: ReactNode;
  /** `compact` has less space around the title, so that the content starts higher. For pages with a task. */
  size?: 'regular' | 'compact';
  children?: ReactNode;
};

/** A page's title and introduction. The title gets the focus after a client-side navigation. */
export function PageHeader({ title, size = 'regular', children }: PageHeaderProps) {
  const isCompact = size === 'compact';
  return (
    <header className={`max-w-[52rem] ${isCompact ? 'py-6 sm:py-8' : 'pt-10 pb-8 sm:pt-16 sm:pb-12'}`}>
      <h1 tabIndex={-1} className={isCompact ? 'text-heading' : 'text-title'}>
        {title}
      </h1>
      {children ? (
        <p className={`max-w-prose text-balance text-ink-muted ${isCompact ? 'mt-2' : 'mt-4 text-lead'}`}>
          {children}
        </p>
      ) : null}
    </header>
  );
}

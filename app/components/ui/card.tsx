import type { ReactNode } from 'react';

type CardProps = { children: ReactNode; as?: 'div' | 'section' | 'article' | 'li' | 'aside' };

/** A raised surface with padding. */
export function Card({ children, as: Element = 'div' }: CardProps) {
  return (
    <Element className="rounded-card border border-line bg-surface p-5 shadow-raised sm:p-7">
      {children}
    </Element>
  );
}

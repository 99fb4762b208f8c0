import type { ReactNode } from 'react';

type CardProps = {
  children: ReactNode;
  as?: 'div' | 'section' | 'article' | 'li' | 'aside';
  /** `danger` is for what cannot be undone. */
  tone?: 'regular' | 'danger';
};

/** A raised surface with padding. */
export function Card({ children, as: Element = 'div', tone = 'regular' }: CardProps) {
  const border = tone === 'danger' ? 'border-danger/50' : 'border-line';
  return (
    <Element className={`rounded-card border ${border} bg-surface p-5 shadow-raised sm:p-7`}>
      {children}
    </Element>
  );
}

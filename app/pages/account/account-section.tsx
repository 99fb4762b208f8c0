import { type ReactNode, useId } from 'react';
import { Card } from '../../components/ui/card.tsx';

type AccountSectionProps = {
  /** The fragment of links to this section. */
  id: string;
  title: string;
  intro?: string;
  tone?: 'regular' | 'danger';
  children: ReactNode;
};

export function AccountSection({ id, title, intro, tone, children }: AccountSectionProps) {
  const headingId = useId();
  return (
    <section id={id} aria-labelledby={headingId} className="scroll-mt-6">
      <Card {...(tone ? { tone } : {})}>
        <h2 id={headingId} className="text-subheading">
          {title}
        </h2>
        {intro ? <p className="mt-2 text-ink-muted">{intro}</p> : null}
        <div className="mt-5 grid grid-cols-1 gap-5">{children}</div>
      </Card>
    </section>
  );
}

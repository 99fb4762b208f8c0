import type { ReactNode } from 'react';

/** A list of what is stored in one place. */
export function StoredItems({ children }: { children: ReactNode }) {
  return <dl className="divide-y divide-line rounded-card border border-line bg-surface">{children}</dl>;
}

type StoredItemProps = { name: ReactNode; purpose: string; lifetime: string };

/** What is stored, what for, and for how long. */
export function StoredItem({ name, purpose, lifetime }: StoredItemProps) {
  return (
    <div className="grid grid-cols-1 gap-x-8 gap-y-1 px-5 py-4 sm:px-7 md:grid-cols-[13rem_1fr] lg:grid-cols-[13rem_1.6fr_1fr]">
      <dt className="font-medium">{name}</dt>
      <dd>{purpose}</dd>
      <dd className="text-ink-muted md:max-lg:col-start-2">{lifetime}</dd>
    </div>
  );
}

import { siteName } from '~/site-name.ts';

/** The site's logo: an X, the Roman numeral ten, of two folds. It is symmetrical, so it needs no mirroring. */
export function Mark({ className = 'size-8' }: { className?: string }) {
  return (
    <svg aria-hidden="true" focusable="false" viewBox="0 0 32 32" className={`shrink-0 ${className}`}>
      <path className="fill-primary" d="M3 4h8l5 9.2L12.6 16 16 18.8 11 28H3l6.6-12z" />
      <path className="fill-secondary" d="M29 4h-8l-5 9.2 3.4 2.8-3.4 2.8 5 9.2h8l-6.6-12z" />
    </svg>
  );
}

/** The logo with the site's name. */
export function Wordmark() {
  return (
    <span className="inline-flex items-center gap-2.5 font-display text-xl font-semibold tracking-tight">
      <Mark />
      {siteName}
    </span>
  );
}

import { logo } from '~/brand/logo.ts';
import { siteName } from '~/site-name.ts';

const fills = { primary: 'fill-primary', secondary: 'fill-secondary' };

/** The site's logo. */
export function Mark({ className = 'size-8' }: { className?: string }) {
  return (
    <svg aria-hidden="true" focusable="false" viewBox="0 0 32 32" className={`shrink-0 ${className}`}>
      {logo.map(({ color, d }) => (
        <path key={d} className={fills[color]} d={d} />
      ))}
    </svg>
  );
}

/** The logo with the site's name. */
export function Wordmark() {
  return (
    <span className="inline-flex items-center gap-2.5 font-display text-xl font-semibold tracking-tight">
      <Mark />
      <span>{siteName}</span>
    </span>
  );
}

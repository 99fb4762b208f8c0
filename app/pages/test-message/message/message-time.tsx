import { useEffect, useState } from 'react';
import { absoluteTime, relativeTime } from '~/i18n/formats.ts';
import { useLocale } from '~/i18n/use-locale.ts';

const TICK_MS = 30_000;

/**
 * A relative time ("2 hours ago") as a button that shows the date in the visitor's time zone. The clock and the time
 * zone are only available in the browser, so the server renders the date in UTC, which is replaced after hydration.
 */
export function MessageTime({ time }: { time: string }) {
  const { iso } = useLocale();
  const now = useNow();
  const [isExact, setExact] = useState(false);
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return null;
  if (now === null) {
    return (
      // The server's version of the locale data may format the date differently than the browser's.
      <time dateTime={time} suppressHydrationWarning>
        {absoluteTime(ms, iso, 'UTC')}
      </time>
    );
  }
  const exact = absoluteTime(ms, iso);
  const relative = relativeTime(ms, now, iso);
  // Old messages have no relative time.
  if (relative === exact) return <time dateTime={time}>{exact}</time>;
  return (
    <>
      <button
        type="button"
        aria-expanded={isExact}
        onClick={() => setExact(!isExact)}
        className="min-h-6 rounded-sm underline decoration-dotted underline-offset-4 hover:text-primary pointer-coarse:min-h-11"
      >
        <time dateTime={time}>{relative}</time>
      </button>
      {isExact ? <span>{exact}</span> : null}
    </>
  );
}

/** The visitor's clock, updated every 30 seconds. Null until hydration. */
function useNow(): number | null {
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => {
    const tick = () => setNow(Date.now());
    tick();
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

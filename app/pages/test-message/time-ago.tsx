import { useEffect, useState } from 'react';
import { absoluteTime, relativeTime } from '~/i18n/formats.ts';
import { useLocale } from '~/i18n/use-locale.ts';

const TICK_MS = 30_000;

/**
 * A moment. The server knows neither the reader's clock nor their time zone, so it writes the date in UTC; in the
 * browser it becomes a distance from now, with the date in the reader's own zone behind it.
 */
export function TimeAgo({ time }: { time: string }) {
  const { iso } = useLocale();
  const now = useNow();
  const moment = Date.parse(time);
  if (Number.isNaN(moment)) return null;
  return (
    // Two versions of Unicode's locale data may write the same date differently; the server's stands until the first tick.
    <time
      dateTime={time}
      title={now === null ? undefined : absoluteTime(moment, iso)}
      suppressHydrationWarning
    >
      {now === null ? absoluteTime(moment, iso, 'UTC') : relativeTime(moment, now, iso)}
    </time>
  );
}

/** The reader's clock, every half minute; null until the page has been taken over. */
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

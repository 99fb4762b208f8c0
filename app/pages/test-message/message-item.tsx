import { useLocation } from '@remix-run/react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { absoluteTime, relativeTime } from '~/i18n/formats.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import { Button } from '../../components/ui/button.tsx';
import { Icon } from '../../components/ui/icon.tsx';
import type { Message } from './message-outcome.ts';
import type { Deleting } from './use-deleting.ts';

const EXCERPT_LENGTH = 40;
/** Messages with more lines scroll. */
const MAX_LINES = 10;
const TICK_MS = 30_000;

const itemClass =
  'grid gap-2 rounded-card border border-line bg-surface px-5 pt-4 pb-2 transition-colors duration-150';

/** As high as the button, so that messages with and without one have the same height. */
const metaClass =
  'flex min-h-9 flex-wrap items-center gap-x-2 text-sm text-ink-muted pointer-coarse:min-h-11';

/** A posted message. */
export function MessageItem({ message, deleting }: { message: Message; deleting: Deleting }) {
  const { t } = useTranslation('test-message');
  const isBeingDeleted = deleting.id === message.id;
  return (
    <li
      className={`${itemClass} ${isBeingDeleted ? 'border-dashed border-line-strong' : ''}`}
      aria-busy={isBeingDeleted || undefined}
    >
      <Content text={message.content} />
      <div className={metaClass}>
        <span className={message.mine ? 'font-medium text-primary' : undefined}>
          {t(message.mine ? 'list.you' : 'list.somebody')}
        </span>
        <span aria-hidden="true">·</span>
        <TimeAgo time={message.createdAt} />
        {message.mine ? <DeleteForm message={message} deleting={deleting} /> : null}
      </div>
    </li>
  );
}

/** A message that is being sent, at its future position in the list. */
export function SendingItem({ text }: { text: string }) {
  const { t } = useTranslation('test-message');
  return (
    <li className={`${itemClass} border-dashed border-line-strong text-ink-muted`} aria-busy="true">
      <Content text={text} />
      <p className={metaClass}>
        <Icon name="lucide:loader-circle" className="size-4 animate-spin" />
        {t('list.sending')}
      </p>
    </li>
  );
}

/**
 * The text of a message, in the direction of its own first letters. A text with many lines scrolls, so that it does not
 * push the other messages off the screen.
 */
function Content({ text }: { text: string }) {
  const isTall = text.split('\n').length > MAX_LINES;
  return (
    <p
      dir="auto"
      // A scrollable element must be reachable by keyboard.
      tabIndex={isTall ? 0 : undefined}
      className={`wrap-anywhere whitespace-pre-wrap ${isTall ? 'max-h-72 overflow-y-auto' : ''}`}
    >
      {text}
    </p>
  );
}

function DeleteForm({ message, deleting }: { message: Message; deleting: Deleting }) {
  const { t } = useTranslation('test-message');
  const { pathname, search } = useLocation();
  return (
    <deleting.Form
      method="post"
      action={pathname + search}
      onSubmit={deleting.onSubmit}
      className="ms-auto -me-3"
    >
      <input type="hidden" name="intent" value="delete" />
      <input type="hidden" name="id" value={message.id} />
      <Button
        variant="quiet"
        size="small"
        busy={deleting.id === message.id}
        aria-label={t('list.deleteLabel', { text: excerpt(message.content) })}
      >
        {deleting.id === message.id ? null : <Icon name="lucide:trash" />}
        {t('list.delete')}
      </Button>
    </deleting.Form>
  );
}

/** The beginning of a text, isolated so that its direction does not affect the text around it (Unicode annex 9). */
function excerpt(text: string): string {
  const characters = [...text];
  const beginning = characters.slice(0, EXCERPT_LENGTH).join('').trim();
  return `\u2068${beginning}${characters.length > EXCERPT_LENGTH ? '…' : ''}\u2069`;
}

/**
 * A relative time ("2 hours ago"), with the date in the visitor's time zone as its title. The server knows neither the
 * visitor's clock nor time zone, so it renders the date in UTC, which is replaced after hydration.
 */
function TimeAgo({ time }: { time: string }) {
  const { iso } = useLocale();
  const now = useNow();
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return null;
  return (
    // The server's version of the locale data may format the date differently than the browser's.
    <time dateTime={time} title={now === null ? undefined : absoluteTime(ms, iso)} suppressHydrationWarning>
      {now === null ? absoluteTime(ms, iso, 'UTC') : relativeTime(ms, now, iso)}
    </time>
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

import { useTranslation } from 'react-i18next';

/** Backgrounds with texts whose contrast is at least 7:1 in both themes. */
const colors = [
  'bg-sky-100 text-sky-900 dark:bg-sky-900 dark:text-sky-100',
  'bg-emerald-100 text-emerald-900 dark:bg-emerald-900 dark:text-emerald-100',
  'bg-amber-100 text-amber-900 dark:bg-amber-900 dark:text-amber-100',
  'bg-rose-100 text-rose-900 dark:bg-rose-900 dark:text-rose-100',
  'bg-violet-100 text-violet-900 dark:bg-violet-900 dark:text-violet-100',
  'bg-lime-100 text-lime-900 dark:bg-lime-900 dark:text-lime-100',
] as const;

/** The author of a message: a monogram, and the author's pseudonym or "You". */
export function MessageAuthor({ author, isMine }: { author: string; isMine: boolean }) {
  const { t } = useTranslation('test-message');
  return (
    <span className="inline-flex items-center gap-2">
      <span
        aria-hidden="true"
        className={`grid size-6 shrink-0 place-items-center rounded-full text-[0.6875rem] leading-none font-semibold ${colorOf(author)}`}
      >
        {author.slice(0, 2)}
      </span>
      <span className={isMine ? 'font-medium text-primary' : undefined}>
        {isMine ? t('list.you') : t('list.author', { code: author })}
      </span>
    </span>
  );
}

function colorOf(author: string): string {
  const sum = [...author].reduce((total, character) => total + character.charCodeAt(0), 0);
  return colors[sum % colors.length] ?? colors[0];
}

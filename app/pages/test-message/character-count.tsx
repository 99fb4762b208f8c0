import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMounted } from '../../components/ui/use-mounted.ts';
import { contentLength, MAX_CONTENT_LENGTH } from './message-content.ts';

/** What has been typed is counted aloud only after a pause, or every key would speak. */
const PAUSE_MS = 1200;

/** How much room is left; before scripts run, how much there is. */
export function CharacterCount({ text }: { text: string }) {
  const { t } = useTranslation('test-message');
  const words = useWordsForRoom(text);
  if (!useMounted()) return t('compose.limit', { count: MAX_CONTENT_LENGTH });
  const isTooLong = contentLength(text) > MAX_CONTENT_LENGTH;
  return <span className={isTooLong ? 'font-medium text-danger' : undefined}>{words}</span>;
}

/** The same for ears. */
export function SpokenCharacterCount({ text }: { text: string }) {
  const words = useWordsForRoom(text);
  const [spoken, setSpoken] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSpoken(text === '' ? '' : words), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, words]);
  return (
    <p aria-live="polite" aria-atomic="true" className="sr-only">
      {spoken}
    </p>
  );
}

function useWordsForRoom(text: string): string {
  const { t } = useTranslation('test-message');
  const left = MAX_CONTENT_LENGTH - contentLength(text);
  return left < 0 ? t('compose.tooMany', { count: -left }) : t('compose.charactersLeft', { count: left });
}

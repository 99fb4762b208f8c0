import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { contentLength, MAX_CONTENT_LENGTH } from './message-content.ts';
import { useMounted } from './use-mounted.ts';

/** What has been typed is counted aloud only after a pause, or every key would speak. */
const PAUSE_MS = 1200;

/** How much room is left; before scripts run, how much there is. */
export function CharacterCount({ text }: { text: string }) {
  const { t } = useTranslation('test-message');
  const isMounted = useMounted();
  const left = MAX_CONTENT_LENGTH - contentLength(text);
  const words =
    left < 0 ? t('compose.tooMany', { count: -left }) : t('compose.charactersLeft', { count: left });
  if (!isMounted) return t('compose.limit', { count: MAX_CONTENT_LENGTH });
  return (
    <>
      <span className={left < 0 ? 'font-medium text-danger' : undefined}>{words}</span>
      <Spoken words={text === '' ? '' : words} />
    </>
  );
}

function Spoken({ words }: { words: string }) {
  const [spoken, setSpoken] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSpoken(words), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <span aria-live="polite" aria-atomic="true" className="sr-only">
      {spoken}
    </span>
  );
}

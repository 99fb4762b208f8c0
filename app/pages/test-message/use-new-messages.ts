import { useEffect, useRef, useState } from 'react';
import { postOperation } from '../../client/graphql/post-operation.ts';
import { LIST_MESSAGES } from '../../graphql/messages.graphql.generated.ts';
import type { MessageFeed } from './message-outcome.ts';

/** The shortest time between two checks, and between loading the messages and a check. */
const CHECK_INTERVAL_MS = 30_000;

/**
 * Whether there are newer messages than those of `feed`. If the page shows the newest messages, it checks when the
 * visitor returns to the tab.
 */
export function useNewMessages(feed: MessageFeed, { isOlder }: { isOlder: boolean }): boolean {
  const [newestId, setNewestId] = useState('');
  const checkedAt = useRef(0);
  const shownId = feed.state === 'listed' && !isOlder ? (feed.messages[0]?.id ?? '') : null;

  // biome-ignore lint/correctness/useExhaustiveDependencies: loading the messages is a check
  useEffect(() => {
    checkedAt.current = Date.now();
  }, [feed]);

  const isChecking = shownId !== null;
  useEffect(() => {
    if (!isChecking) return;
    const check = () => {
      const isDue = Date.now() - checkedAt.current >= CHECK_INTERVAL_MS;
      if (document.visibilityState !== 'visible' || !isDue) return;
      checkedAt.current = Date.now();
      void fetchNewestId().then((id) => id !== null && setNewestId(id));
    };
    document.addEventListener('visibilitychange', check);
    window.addEventListener('focus', check);
    return () => {
      document.removeEventListener('visibilitychange', check);
      window.removeEventListener('focus', check);
    };
  }, [isChecking]);

  // Ids are ULIDs, which sort by time.
  return shownId !== null && newestId > shownId;
}

/** The id of the newest message, or null if there is none or the call failed. Failures are not shown. */
async function fetchNewestId(): Promise<string | null> {
  try {
    const { data } = await postOperation({ ...LIST_MESSAGES, variables: { limit: 1 } });
    return data?.listMessages.items[0]?.id ?? null;
  } catch {
    return null;
  }
}

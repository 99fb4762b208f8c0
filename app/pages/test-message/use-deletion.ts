import { useLocation } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { postOperation } from '../../client/graphql/post-operation.ts';
import { DELETE_MESSAGE, REMOVE_MESSAGE } from '../../graphql/messages.graphql.generated.ts';
import { type CallErrorCode, errorOfProxyResponse, type Message } from './message-outcome.ts';

/** The query parameter with the id of a message. The page shows a confirmation for its deletion. */
export const DELETE_PARAMETER = 'delete';

/** How long a deletion can be undone. */
const UNDO_MS = 10_000;

type Target = Pick<Message, 'id' | 'mine'>;

export type Deletion = {
  /** The id of the message whose deletion can be undone, or null. */
  undoable: string | null;
  /** The ids of messages that the list still contains, but the API does not. */
  deleted: ReadonlySet<string>;
  failure: { id: string; error: CallErrorCode } | null;
  start(message: Target): void;
  undo(): void;
  finish(): void;
};

/** The requests of deletions that have not been answered yet. */
const requests = new Set<Promise<unknown>>();

/** Resolves when no deletion is being sent. A list that is loaded earlier may still contain the message. */
export async function deletionsSent(): Promise<void> {
  await Promise.all(requests);
}

/**
 * Deletes messages with an "Undo". The request is sent after ten seconds, or earlier: when a form is submitted, the
 * visitor navigates, the notice is dismissed, or the page is left.
 */
export function useDeletion(): Deletion {
  const [undoable, setUndoable] = useState<string | null>(null);
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set());
  const [failure, setFailure] = useState<Deletion['failure']>(null);
  const pending = useRef<Target | null>(null);

  const finish = useCallback(() => {
    const message = pending.current;
    if (message === null) return;
    pending.current = null;
    const { id } = message;
    focusNeighbor(id);
    setUndoable(null);
    setDeleted((ids) => new Set(ids).add(id));
    const request = sendDeletion(message);
    requests.add(request);
    void request.then((error) => {
      requests.delete(request);
      if (error === null) return;
      setFailure({ id, error });
      if (error !== 'gone') setDeleted((ids) => new Set([...ids].filter((other) => other !== id)));
    });
  }, []);

  useFinish(undoable, finish);
  return {
    undoable,
    deleted,
    failure,
    start(message) {
      finish();
      setFailure(null);
      pending.current = message;
      setUndoable(message.id);
    },
    undo() {
      const message = pending.current;
      pending.current = null;
      setUndoable(null);
      if (message) document.getElementById(`message-${message.id}`)?.focus({ preventScroll: true });
    },
    finish,
  };
}

/** Calls `finish` when the deletion of `undoable` can no longer be undone. */
function useFinish(undoable: string | null, finish: () => void) {
  const { key } = useLocation();
  useEffect(() => {
    if (undoable === null) return;
    const timer = setTimeout(finish, UNDO_MS);
    document.addEventListener('submit', finish, { capture: true });
    window.addEventListener('pagehide', finish);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('submit', finish, { capture: true });
      window.removeEventListener('pagehide', finish);
    };
  }, [undoable, finish]);

  // The clean-up runs with each navigation, and when the page is left.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the navigation
  useEffect(() => finish, [finish, key]);
}

/** Deletes a message. Returns the error, or null. */
async function sendDeletion({ id, mine }: Target): Promise<CallErrorCode | null> {
  try {
    const variables = { id };
    const options = { keepalive: true };
    const response = await (mine
      ? postOperation({ ...DELETE_MESSAGE, variables }, options)
      : postOperation({ ...REMOVE_MESSAGE, variables }, options));
    return errorOfProxyResponse('delete', response);
  } catch {
    return 'offline';
  }
}

/** If the focus is in a message, which disappears, moves it to the next message, the one before, or the heading. */
export function focusNeighbor(id: string): void {
  const item = document.getElementById(`message-${id}`);
  if (!item?.contains(document.activeElement)) return;
  const target =
    item.nextElementSibling ?? item.previousElementSibling ?? document.getElementById('messages-heading');
  if (target instanceof HTMLElement) target.focus({ preventScroll: true });
}

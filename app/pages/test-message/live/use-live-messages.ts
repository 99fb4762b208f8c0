import { useRevalidator } from '@remix-run/react';
import { type RefObject, useEffect, useReducer, useRef, useState } from 'react';
import { type SharedEvents, shareEvents } from '../../../client/live/shared-events.ts';
import type { Message } from '../message-outcome.ts';
import { focusNeighbor } from '../use-deletion.ts';
import { changeList, mergeLists, parseChange, unchanged } from './live-list.ts';

const PATH = '/api/messages/events';

/** Screen readers announce what has happened within this time as one sentence. */
const ANNOUNCE_AFTER_MS = 3000;
/** A short interruption is not shown. */
const SHOW_CLOSED_AFTER_MS = 2000;
/** The list is loaded again at most once in this time, and not by all browsers at the same moment. */
const RELOAD_PAUSE_MS = 1000;
const RELOAD_SPREAD_MS = 2000;
/** How long after a failure. */
const RETRY_MS = 10_000;
/** More than this is loaded again, page by page. */
const MAX_CREATED = 50;

type Counts = { new: number; gone: number };
const nothing: Counts = { new: 0, gone: 0 };

export type LiveMessages = {
  messages: readonly Message[];
  isOpen: boolean;
  /** Whether the stream was lost a while ago. */
  isLost: boolean;
  /** How many messages have arrived above the visible part of the list. */
  unseen: number;
  see(): void;
  announced: Counts;
};

type Options = {
  listed: readonly Message[];
  /** Whether there is a list. Messages are listened to from then on. */
  isListed: boolean;
  /** Whether these are not the newest. */
  isOlder: boolean;
  /** Text of the visitor's message that is being sent, or null. */
  sending: string | null;
  heading: RefObject<HTMLElement>;
};

/** The messages of `listed`, with what others have posted and deleted since. */
export function useLiveMessages({ isListed, listed, isOlder, sending, heading }: Options): LiveMessages {
  const [list, change] = useReducer(changeList, unchanged);
  const [isOpen, setOpen] = useState<boolean | null>(null);
  const [unseen, setUnseen] = useState(0);
  const [announced, announce] = useAnnouncement();
  const reload = useReload();
  const messages = mergeLists(listed, isOlder ? { ...list, created: [] } : list, sending);

  const latest = useRef({ messages, isOlder, sending });
  latest.current = { messages, isOlder, sending };
  const events = useRef<SharedEvents | null>(null);
  const wasListed = useRef(false);
  wasListed.current ||= isListed;
  const isListening = wasListed.current;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions do not change
  useEffect(() => {
    if (!isListening) return;
    events.current = shareEvents(PATH, ['created', 'deleted', 'gap'], {
      onOpen: setOpen,
      onRefused: reload,
      onEvent(event) {
        const shown = latest.current;
        const parsed = parseChange(event);
        if (parsed.type === 'gap') reload();
        else if (parsed.type === 'deleted') {
          focusNeighbor(parsed.id);
          if (shown.messages.some(({ id }) => id === parsed.id)) announce('gone');
        } else if (parsed.type === 'created') {
          const { id, author, content } = parsed.message;
          const isKnown = shown.messages.some((message) => message.id === id) || content === shown.sending;
          // Another device or tab of the visitor has posted it.
          const isOwn = shown.messages.some((message) => message.mine && message.author === author);
          const isAdmin = shown.messages.some(({ mine, canDelete }) => canDelete && !mine);
          Object.assign(parsed.message, { mine: isOwn, canDelete: isOwn || isAdmin });
          if (!isKnown && isOwn) reload();
          if (!isKnown && !isOwn && !shown.isOlder) {
            announce('new');
            if (isAbove(heading.current)) setUnseen((count) => count + 1);
          }
        }
        change(parsed);
      },
    });
    return () => events.current?.leave();
  }, [isListening]);

  // The list was loaded again, and that has failed.
  const isMissing = isListening && !isListed;
  useEffect(() => {
    if (!isMissing) return;
    const timer = setInterval(reload, RETRY_MS);
    return () => clearInterval(timer);
  }, [isMissing, reload]);

  useEffect(() => change({ type: 'loaded', ids: listed.map(({ id }) => id) }), [listed]);
  useEffect(() => {
    if (list.created.length <= MAX_CREATED) return;
    change({ type: 'gap' });
    reload();
  }, [list.created.length, reload]);

  // The other tabs cannot know whose message it is.
  useEffect(() => (sending === null ? undefined : () => events.current?.tellOthers()), [sending]);

  useEffect(() => {
    if (!heading.current) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) setUnseen(0);
    });
    observer.observe(heading.current);
    return () => observer.disconnect();
  }, [heading]);

  return {
    messages,
    isOpen: isOpen === true,
    isLost: useLater(isOpen === false, SHOW_CLOSED_AFTER_MS),
    unseen,
    see: () => setUnseen(0),
    announced,
  };
}

function isAbove(element: HTMLElement | null): boolean {
  return element !== null && element.getBoundingClientRect().bottom < 0;
}

/** Returns a function that loads the list again: the first time at once, then after a pause. */
function useReload(): () => void {
  const { revalidate } = useRevalidator();
  const [reload] = useState(() => {
    let isWaiting = false;
    let waitMs = 0;
    return () => {
      if (isWaiting) return;
      isWaiting = true;
      setTimeout(() => {
        isWaiting = false;
        waitMs = RELOAD_PAUSE_MS + Math.random() * RELOAD_SPREAD_MS;
        revalidate();
      }, waitMs);
    };
  });
  return reload;
}

/** Counts what happens, and returns the counts after a while. */
function useAnnouncement(): [Counts, (kind: keyof Counts) => void] {
  const [announced, setAnnounced] = useState(nothing);
  const [announce] = useState(() => {
    let pending: Counts | null = null;
    return (kind: keyof Counts) => {
      if (pending === null) {
        pending = { ...nothing };
        // The same sentence is announced again if it disappears in between.
        setAnnounced(nothing);
        setTimeout(() => {
          if (pending) setAnnounced(pending);
          pending = null;
        }, ANNOUNCE_AFTER_MS);
      }
      pending[kind] += 1;
    };
  });
  return [announced, announce];
}

/** Whether `value` has been true for this many milliseconds. */
function useLater(value: boolean, ms: number): boolean {
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    if (!value) return setLater(false);
    const timer = setTimeout(() => setLater(true), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return value && isLater;
}

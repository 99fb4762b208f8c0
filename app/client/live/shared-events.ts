/**
 * One stream of server-sent events for all tabs of a browser. The tab that holds a lock reads it and passes the events on
 * to the others. Where there are no locks, each tab reads its own.
 */

export type EventsListener = {
  /** One of the `types`, or `gap` when events may have been missed. */
  onEvent(event: { type: string; data: string }): void;
  /** Whether the stream is open. Called first when that is known. */
  onOpen(isOpen: boolean): void;
  /** There is no session. Until `leave`, the stream is tried again: a visitor may have signed in again in another tab. */
  onRefused(): void;
};

export type SharedEvents = {
  /** Sends a `gap` to the other tabs. */
  tellOthers(): void;
  leave(): void;
};

type TabMessage =
  | { kind: 'event'; type: string; data: string }
  | { kind: 'open'; isOpen: boolean }
  | { kind: 'refused' }
  /** A tab asks whether another reads the stream, which answers. */
  | { kind: 'question' }
  | { kind: 'answer'; isOpen: boolean };

/** A tab that reads the stream answers within this time, unless the browser has suspended it. */
const ANSWER_MS = 2000;
/** Within how many milliseconds a stream that was refused for the moment is opened again. */
const MIN_RETRY_MS = 5000;
const MAX_RETRY_MS = 15_000;

/** Listens to the events of the stream at `path`, until `leave` is called. A page in the back/forward cache has no stream. */
export function shareEvents(path: string, types: readonly string[], listener: EventsListener): SharedEvents {
  let tab: Tab | null = new Tab(path, types, listener);
  const hide = () => {
    tab?.leave();
    tab = null;
  };
  const show = () => {
    tab ??= new Tab(path, types, listener);
  };
  const look = () => {
    if (document.visibilityState === 'visible') tab?.ask();
  };
  window.addEventListener('pagehide', hide);
  window.addEventListener('pageshow', show);
  document.addEventListener('visibilitychange', look);
  return {
    tellOthers: () => tab?.tellOthers(),
    leave() {
      window.removeEventListener('pagehide', hide);
      window.removeEventListener('pageshow', show);
      document.removeEventListener('visibilitychange', look);
      hide();
    },
  };
}

class Tab {
  readonly #channel: BroadcastChannel | null;
  readonly #left = new AbortController();
  #waiting = new AbortController();
  #source: EventSource | null = null;
  #isReader = false;
  #isOpen: boolean | null = null;
  #answerTimer: ReturnType<typeof setTimeout> | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly path: string,
    private readonly types: readonly string[],
    private readonly listener: EventsListener,
  ) {
    // Insecure pages have no locks.
    this.#channel = 'locks' in navigator ? new BroadcastChannel(path) : null;
    if (!this.#channel) {
      this.#read();
      return;
    }
    this.#channel.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#receive(data);
    this.#waitForLock();
    this.ask();
  }

  /** Takes the place of the reading tab if that does not answer. */
  ask(): void {
    if (!this.#channel || this.#isReader) return;
    this.#channel.postMessage({ kind: 'question' } satisfies TabMessage);
    clearTimeout(this.#answerTimer);
    this.#answerTimer = setTimeout(() => this.#takeLock(), ANSWER_MS);
  }

  tellOthers(): void {
    this.#channel?.postMessage({ kind: 'event', type: 'gap', data: '{}' } satisfies TabMessage);
  }

  leave(): void {
    this.#left.abort();
    this.#waiting.abort();
    this.#close();
    this.#channel?.close();
    clearTimeout(this.#answerTimer);
  }

  #waitForLock(): void {
    this.#waiting = new AbortController();
    this.#requestLock({ signal: this.#waiting.signal });
  }

  #takeLock(): void {
    this.#waiting.abort();
    this.#requestLock({ steal: true });
  }

  #requestLock(options: LockOptions): void {
    const untilLeft = () =>
      new Promise<void>((resolve) => {
        if (this.#left.signal.aborted) return resolve();
        this.#left.signal.addEventListener('abort', () => resolve());
        clearTimeout(this.#answerTimer);
        this.#isReader = true;
        this.#read();
      });
    navigator.locks.request(this.path, options, untilLeft).catch(() => {
      if (!this.#isReader || this.#left.signal.aborted) return;
      // Another tab has taken the lock.
      this.#isReader = false;
      this.#close();
      this.#waitForLock();
    });
  }

  #read(): void {
    this.#source = new EventSource(this.path);
    for (const type of this.types) {
      this.#source.addEventListener(type, ({ data }: MessageEvent<string>) =>
        this.#tell({ kind: 'event', type, data }),
      );
    }
    this.#source.onopen = () => this.#tell({ kind: 'open', isOpen: true });
    this.#source.onerror = () => {
      this.#tell({ kind: 'open', isOpen: false });
      // After an error of the network, the browser connects again by itself.
      if (this.#source?.readyState === EventSource.CLOSED) void this.#retry(this.#source);
    };
  }

  /** The browser does not say with which status the stream was refused. */
  async #retry(refused: EventSource): Promise<void> {
    const status = await fetch(this.path, { method: 'HEAD' }).then(
      (response) => response.status,
      () => null,
    );
    if (this.#source !== refused) return;
    if (status === 401) this.#tell({ kind: 'refused' });
    const pauseMs = MIN_RETRY_MS + Math.random() * (MAX_RETRY_MS - MIN_RETRY_MS);
    this.#retryTimer = setTimeout(() => this.#read(), pauseMs);
  }

  #close(): void {
    clearTimeout(this.#retryTimer);
    this.#source?.close();
    this.#source = null;
  }

  #tell(message: TabMessage): void {
    this.#channel?.postMessage(message);
    this.#receive(message);
  }

  #receive(message: TabMessage): void {
    if (message.kind === 'question') {
      const isOpen = this.#isOpen === true;
      if (this.#isReader) this.#channel?.postMessage({ kind: 'answer', isOpen } satisfies TabMessage);
      return;
    }
    clearTimeout(this.#answerTimer);
    if (message.kind === 'event') this.listener.onEvent(message);
    else if (message.kind === 'refused') this.listener.onRefused();
    else this.#setOpen(message);
  }

  #setOpen({ kind, isOpen }: Extract<TabMessage, { isOpen: boolean }>): void {
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    this.listener.onOpen(isOpen);
    // The stream was open before this tab listened.
    if (kind === 'answer' && isOpen) this.listener.onEvent({ type: 'gap', data: '{}' });
  }
}

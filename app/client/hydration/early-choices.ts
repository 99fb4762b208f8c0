/** What was chosen from lists before the client took the page over: its components have not heard of it. */
export type EarlyChoices = {
  /** Begins to notice choices. */
  watch(document: Pick<Document, 'addEventListener' | 'removeEventListener'>): void;
  /** Tells of them once more, and ends. Called when the page has been hydrated. */
  tell(): void;
};

export function createEarlyChoices(): EarlyChoices {
  const changed = new Set<HTMLSelectElement>();
  let stop = () => {};

  return {
    watch(document) {
      const note = ({ target }: Event) => {
        if (target instanceof HTMLSelectElement) changed.add(target);
      };
      document.addEventListener('change', note);
      stop = () => document.removeEventListener('change', note);
    },
    tell() {
      stop();
      for (const list of changed) list.dispatchEvent(new Event('change', { bubbles: true }));
      changed.clear();
    },
  };
}

/** Those of this tab. */
export const earlyChoices = createEarlyChoices();

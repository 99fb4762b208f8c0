/** Selections that the visitor made in `<select>` elements before hydration, when no component could handle them. */
export type EarlySelections = {
  /** Starts to record changes. */
  watch(document: Pick<Document, 'addEventListener' | 'removeEventListener'>): void;
  /** Stops recording and dispatches the change events again. Called after hydration. */
  replay(): void;
};

function createEarlySelections(): EarlySelections {
  const changed = new Set<HTMLSelectElement>();
  let stop = () => {};

  return {
    watch(document) {
      // In the capture phase, because the events do not get further while React hydrates.
      const record = ({ target }: Event) => {
        if (target instanceof HTMLSelectElement) changed.add(target);
      };
      document.addEventListener('change', record, true);
      stop = () => document.removeEventListener('change', record, true);
    },
    replay() {
      stop();
      for (const select of changed) select.dispatchEvent(new Event('change', { bubbles: true }));
      changed.clear();
    },
  };
}

export const earlySelections = createEarlySelections();

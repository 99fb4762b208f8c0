/** The hash of the address, which no server knows: forms that come back to the page take it along. */
import { RETURN_TO } from '../../return-to.ts';

/** Adds the hash to the way back of every form that is sent, by the browser itself or by the client. */
export function keepHashInForms(document: Document): void {
  const addHash = ({ target }: Event) => {
    const field = target instanceof HTMLFormElement ? target.elements.namedItem(RETURN_TO) : null;
    if (!(field instanceof HTMLInputElement)) return;
    const { pathname, search, hash } = window.location;
    field.value = pathname + search + hash;
  };
  // Captured: before the client reads the form.
  document.addEventListener('submit', addHash, { capture: true });
}

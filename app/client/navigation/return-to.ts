/** The form field and query parameter that name the page to return to. */
export const RETURN_TO = 'returnTo';

/**
 * Adds the hash of the current address to the `returnTo` field of every submitted form, because the server, which
 * renders the field, never sees the hash.
 */
export function addHashToReturnTo(document: Document): void {
  const addHash = ({ target }: Event) => {
    const field = target instanceof HTMLFormElement ? target.elements.namedItem(RETURN_TO) : null;
    if (!(field instanceof HTMLInputElement)) return;
    const { pathname, search, hash } = window.location;
    field.value = pathname + search + hash;
  };
  // In the capture phase, because Remix reads the form in a later one.
  document.addEventListener('submit', addHash, { capture: true });
}

/**
 * Text that a visitor typed and that must survive a sign-in on the hosted login. It is in this tab's session storage from
 * the click on the sign-in link until the visitor is back on the page.
 */
const KEY = 'carried-text';

/** Saves `text`. Does nothing where storage is blocked. */
export function saveSignInDraft(text: string): void {
  try {
    sessionStorage.setItem(KEY, text);
  } catch {}
}

export function hasSignInDraft(): boolean {
  try {
    return Boolean(sessionStorage.getItem(KEY));
  } catch {
    return false;
  }
}

/** Returns the saved text, or an empty text, and removes it. */
export function consumeSignInDraft(): string {
  try {
    const text = sessionStorage.getItem(KEY) ?? '';
    sessionStorage.removeItem(KEY);
    return text;
  } catch {
    return '';
  }
}

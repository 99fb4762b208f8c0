/**
 * Text that a visitor typed, carried over the way to the hosted login and back. It lies in this tab's storage from the
 * moment they leave to sign in until they are back, and nowhere else.
 */
const KEY = 'carried-text';

/** Puts `text` aside. Where storage is blocked nothing happens. */
export function carryText(text: string): void {
  try {
    sessionStorage.setItem(KEY, text);
  } catch {}
}

/** Whether there is such a text. */
export function hasCarriedText(): boolean {
  try {
    return Boolean(sessionStorage.getItem(KEY));
  } catch {
    return false;
  }
}

/** What was put aside, once; else an empty text. */
export function takeCarriedText(): string {
  try {
    const text = sessionStorage.getItem(KEY) ?? '';
    sessionStorage.removeItem(KEY);
    return text;
  } catch {
    return '';
  }
}

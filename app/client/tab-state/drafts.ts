/**
 * Text that a visitor typed, in this tab's session storage: from the click on the sign-in link until the visitor is back
 * from the hosted login, and during visits to other pages of the site.
 */
const SIGN_IN_KEY = 'carried-text';
const DRAFT_KEY = 'message-draft';

/** Saves `text` for the time of a sign-in. Does nothing where storage is blocked. */
export function saveSignInDraft(text: string): void {
  save(SIGN_IN_KEY, text);
}

export function hasSignInDraft(): boolean {
  try {
    return Boolean(sessionStorage.getItem(SIGN_IN_KEY));
  } catch {
    return false;
  }
}

/** Returns the text saved before a sign-in, or an empty text, and removes it. */
export function consumeSignInDraft(): string {
  return consume(SIGN_IN_KEY);
}

/** Saves `text` for the time of a visit to another page. An empty text removes what was saved. */
export function saveDraft(text: string): void {
  save(DRAFT_KEY, text);
}

/** Returns the text saved before a visit to another page, or an empty text, and removes it. */
export function consumeDraft(): string {
  return consume(DRAFT_KEY);
}

/** Removes the draft when the visitor signs out. */
export function clearDraftOnSignOut(document: Document): void {
  const clear = ({ target }: Event) => {
    if (target instanceof HTMLFormElement && target.action.endsWith('/auth/sign-out')) saveDraft('');
  };
  document.addEventListener('submit', clear);
}

function save(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {}
}

function consume(key: string): string {
  try {
    const text = sessionStorage.getItem(key) ?? '';
    sessionStorage.removeItem(key);
    return text;
  } catch {
    return '';
  }
}

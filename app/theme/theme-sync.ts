/**
 * Keeps the theme of all open tabs the same. The cookie `theme`, which scripts may read, holds the stored theme. Local
 * storage only notifies the other tabs of a change.
 */
import { defaultTheme, parseTheme, type Theme } from './theme.ts';

const STORAGE_KEY = 'color-mode';

/** The theme in the cookie, or null. */
export function themeFromCookie(): Theme | null {
  return parseTheme(/(?:^|; )theme=([^;]*)/.exec(document.cookie)?.[1]);
}

/** Notifies the other tabs of the stored theme. */
export function announceTheme(theme: Theme = themeFromCookie() ?? defaultTheme): void {
  try {
    window.localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // Storage is blocked: the other tabs read the cookie when they load their next document.
  }
}

/** Calls `listener` when another tab announces a theme. Returns a function that removes the listener. */
export function onThemeChangedInOtherTab(
  window: Pick<Window, 'addEventListener' | 'removeEventListener'>,
  listener: () => void,
): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === STORAGE_KEY) listener();
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}

/**
 * The theme between tabs. The cookie `theme` is the truth, and scripts may read it; local storage only tells the other
 * tabs that it has changed.
 */
import { defaultTheme, parseTheme, type Theme } from './theme.ts';

const STORAGE_KEY = 'color-mode';

/** The theme that the cookie names. */
export function themeOfCookie(): Theme | null {
  return parseTheme(/(?:^|; )theme=([^;]*)/.exec(document.cookie)?.[1]);
}

/** Tells the other tabs which theme is stored. */
export function announceTheme(theme: Theme = themeOfCookie() ?? defaultTheme): void {
  try {
    window.localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // Storage is blocked: the other tabs learn of it when they next load.
  }
}

/** Calls `listener` when another tab has announced a theme; gives the way to stop. */
export function onThemeElsewhere(
  window: Pick<Window, 'addEventListener' | 'removeEventListener'>,
  listener: () => void,
): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === STORAGE_KEY) listener();
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}

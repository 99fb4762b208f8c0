/**
 * The visitor's theme as this tab knows it. The cookie `theme` is the truth, and scripts may read it; local storage only
 * tells the other tabs that it has changed.
 */
import { useFetchers } from '@remix-run/react';
import { useEffect, useSyncExternalStore } from 'react';
import { useRootData } from './root-data.ts';
import { parseTheme, type Theme } from './theme.ts';

/** Key of the fetcher that posts a chosen theme. */
export const THEME_FETCHER = 'theme';

const STORAGE_KEY = 'color-mode';

/** The theme that the visitor prefers: the one just chosen while it is on its way to the server, else the stored one. */
export function useThemePreference(): Theme | null {
  const stored = useStoredTheme();
  const pending = useFetchers().find((fetcher) => fetcher.key === THEME_FETCHER);
  return parseTheme(pending?.formData?.get('theme')) ?? stored;
}

/** Tells the other tabs of a theme once it is stored, so that they follow. */
export function useThemeBroadcast(): void {
  const stored = useStoredTheme();
  useEffect(() => {
    try {
      if (stored) window.localStorage.setItem(STORAGE_KEY, stored);
    } catch {
      // Storage is blocked: the other tabs learn of it when they next load.
    }
  }, [stored]);
}

/** While the page is hydrated it is what the server wrote with, afterwards what the cookie says now. */
function useStoredTheme(): Theme | null {
  const written = useRootData()?.theme ?? null;
  return useSyncExternalStore(subscribe, themeOfCookie, () => null) ?? written;
}

function themeOfCookie(): Theme | null {
  return parseTheme(/(?:^|; )theme=([^;]*)/.exec(document.cookie)?.[1]);
}

/** Another tab chose, or the page comes back from the browser's history. */
function subscribe(notify: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === STORAGE_KEY) notify();
  };
  window.addEventListener('storage', onStorage);
  window.addEventListener('pageshow', notify);
  return () => {
    window.removeEventListener('storage', onStorage);
    window.removeEventListener('pageshow', notify);
  };
}

/** The colours of the browser's own surfaces around the page: those of `--color-canvas`. */
export const canvasColours = { light: '#fafafa', dark: '#09090b' } as const;

/** The visitor's theme as this tab knows it. */
import { useFetchers } from '@remix-run/react';
import { useEffect, useSyncExternalStore } from 'react';
import { useRootData } from '../components/document/root-data.ts';
import { parseTheme, type Theme } from './theme.ts';
import { announceTheme, onThemeElsewhere, themeOfCookie } from './theme-mirror.ts';

/** Key of the fetcher that posts a chosen theme. */
export const THEME_FETCHER = 'theme';

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
    if (stored) announceTheme(stored);
  }, [stored]);
}

/** While the page is hydrated it is what the server wrote with, afterwards what the cookie says now. */
function useStoredTheme(): Theme | null {
  const written = useRootData()?.theme ?? null;
  return useSyncExternalStore(subscribe, themeOfCookie, () => null) ?? written;
}

/** Another tab chose, or the page comes back from the browser's history. */
function subscribe(notify: () => void): () => void {
  const stop = onThemeElsewhere(window, notify);
  window.addEventListener('pageshow', notify);
  return () => {
    stop();
    window.removeEventListener('pageshow', notify);
  };
}

/** The colours of the browser's own surfaces around the page: those of `--color-canvas`. */
export const canvasColours = { light: '#fafafa', dark: '#09090b' } as const;

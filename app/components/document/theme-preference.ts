/** The visitor's theme preference in this tab. */
import { useFetchers } from '@remix-run/react';
import { useContext, useEffect, useSyncExternalStore } from 'react';
import { parseTheme, type Theme } from '~/theme/theme.ts';
import { announceTheme, onThemeChangedInOtherTab, themeFromCookie } from '~/theme/theme-sync.ts';
import { DocumentContext } from './document-context.ts';
import { useRootData } from './root-data.ts';

/** Key of the fetcher that posts a chosen theme. */
export const THEME_FETCHER = 'theme';

/** The theme that is being posted to the server, or else the stored theme. */
export function useThemePreference(): Theme | null {
  const stored = useStoredTheme();
  const pending = useFetchers().find((fetcher) => fetcher.key === THEME_FETCHER);
  return parseTheme(pending?.formData?.get('theme')) ?? stored;
}

/** Announces every newly stored theme to the other tabs. */
export function useThemeBroadcast(): void {
  const stored = useStoredTheme();
  useEffect(() => {
    if (stored) announceTheme(stored);
  }, [stored]);
}

/**
 * The theme that the server rendered during hydration, and the theme in the cookie afterwards. The document of a rejected
 * form has no root data.
 */
function useStoredTheme(): Theme | null {
  const documentContext = useContext(DocumentContext);
  const rendered = useRootData()?.theme ?? documentContext?.theme ?? null;
  return useSyncExternalStore(subscribe, themeFromCookie, () => null) ?? rendered;
}

/** The cookie can change in another tab, also while this page is in the back/forward cache. */
function subscribe(notify: () => void): () => void {
  const stop = onThemeChangedInOtherTab(window, notify);
  window.addEventListener('pageshow', notify);
  return () => {
    stop();
    window.removeEventListener('pageshow', notify);
  };
}

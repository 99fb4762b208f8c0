import { useFetchers } from '@remix-run/react';
import { useRootData } from './root-data.ts';
import { parseTheme, type Theme } from './theme.ts';

/** Key of the fetcher that posts a chosen theme. */
export const THEME_FETCHER = 'theme';

/** The theme that the visitor prefers: the one just chosen while it is on its way to the server, else the stored one. */
export function useThemePreference(): Theme | null {
  const stored = useRootData()?.theme;
  const pending = useFetchers().find((fetcher) => fetcher.key === THEME_FETCHER);
  return parseTheme(pending?.formData?.get('theme')) ?? stored ?? null;
}

/** The colours of the browser's own surfaces around the page: those of `--color-canvas`. */
export const canvasColours = { light: '#fafafa', dark: '#09090b' } as const;

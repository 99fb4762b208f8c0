/** Themes that a visitor can choose. `system` follows the operating system, with CSS only. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];
export const defaultTheme: Theme = 'system';

/** The cookie with the theme that the visitor chose. */
export const THEME_COOKIE = 'theme';

/** The theme with exactly this name, or null. */
export function parseTheme(value: unknown): Theme | null {
  return themes.find((theme) => theme === value) ?? null;
}

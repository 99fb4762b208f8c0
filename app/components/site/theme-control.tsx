import { useFetcher } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import type { IconName } from '~/icons/built-in-icons.ts';
import { type Theme, themes } from '~/theme/theme.ts';
import { THEME_FETCHER, useThemeBroadcast, useThemePreference } from '../document/theme-preference.ts';
import { Icon } from '../ui/icon.tsx';
import { ReturnToField } from './return-to-field.tsx';

const icons: Record<Theme, IconName> = {
  system: 'lucide:monitor',
  light: 'lucide:sun',
  dark: 'lucide:moon',
};

/** The choice of a theme. It shows the visitor's preference, also on pages that force another theme. */
export function ThemeControl() {
  const fetcher = useFetcher({ key: THEME_FETCHER });
  const preference = useThemePreference();
  useThemeBroadcast();
  return (
    <fetcher.Form method="post" action="/preferences" preventScrollReset>
      <ReturnToField />
      <fieldset className="inline-flex rounded-control border border-line bg-sunken p-0.5">
        <ThemeButtons preference={preference} />
      </fieldset>
    </fetcher.Form>
  );
}

function ThemeButtons({ preference }: { preference: Theme | null }) {
  const { t } = useTranslation();
  return (
    <>
      <legend className="sr-only">{t('theme.label')}</legend>
      {themes.map((theme) => (
        <button
          key={theme}
          type="submit"
          name="theme"
          value={theme}
          aria-pressed={theme === preference}
          title={t(`theme.${theme}`)}
          className="grid size-9 place-items-center rounded-lg text-ink-muted hover:text-primary aria-pressed:bg-primary-soft aria-pressed:text-primary-ink pointer-coarse:size-11"
        >
          <Icon name={icons[theme]} className="size-4.5" />
          <span className="sr-only">{t(`theme.${theme}`)}</span>
        </button>
      ))}
    </>
  );
}

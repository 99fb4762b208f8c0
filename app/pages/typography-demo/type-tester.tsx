import { Form, Link, useLocation, useSearchParams, useSubmit } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import {
  parseTypeSettings,
  type TypeSettingName,
  type TypeSettings,
  typeClass,
  typeSettings,
} from '~/pages/typography-demo/type-settings.ts';
import { buttonClass } from '../../components/ui/button.tsx';
import { controlClass, Field } from '../../components/ui/field.tsx';

/** Names of typefaces are the same in every language. */
const familyNames: Record<TypeSettings['family'], string> = {
  'dm-sans': 'DM Sans',
  'space-grotesk': 'Space Grotesk',
};

const names: readonly TypeSettingName[] = ['family', 'size', 'weight', 'leading', 'measure'];

/** One below the other with their labels beside them where two of them would not fit, else in columns. */
const controlsClass =
  'grid grid-cols-1 items-start gap-x-4 gap-y-2 sm:grid-cols-3 sm:gap-y-4 xl:grid-cols-[repeat(5,1fr)_auto] ' +
  'max-sm:*:grid-cols-[1fr_minmax(0,11rem)] max-sm:*:items-center';

/**
 * A sample to set as one likes. The settings are the query's, so they can be shared and work without scripts; with
 * scripts a change shows at once.
 */
export function TypeTester() {
  const { t } = useTranslation('typography-demo');
  const [query] = useSearchParams();
  const settings = parseTypeSettings(query);
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface shadow-raised">
      <TypeControls settings={settings} />
      <div className="px-5 py-10 sm:px-8 sm:py-14">
        <p className={`${typeClass(settings)} min-w-0`}>{t('tester.sample')}</p>
      </div>
    </div>
  );
}

function TypeControls({ settings }: { settings: TypeSettings }) {
  const { t } = useTranslation('typography-demo');
  const submit = useSubmit();
  const { pathname } = useLocation();
  const options = { preventScrollReset: true, replace: true };
  return (
    <Form
      {...options}
      // A reset by link changes the settings from outside: the selects start anew with them.
      key={Object.values(settings).join()}
      aria-label={t('tester.title')}
      onChange={(event) => submit(event.currentTarget, options)}
      className={`${controlsClass} border-b border-line bg-sunken p-5 text-sm sm:px-8`}
    >
      {names.map((name) => (
        <TypeControl key={name} name={name} value={settings[name]} />
      ))}
      <div className="flex flex-wrap gap-2 self-end">
        <button type="submit" className={buttonClass('secondary')}>
          {t('tester.apply')}
        </button>
        <Link {...options} to={pathname} className={buttonClass('quiet')}>
          {t('tester.reset')}
        </Link>
      </div>
    </Form>
  );
}

function TypeControl({ name, value }: { name: TypeSettingName; value: string }) {
  const { t } = useTranslation('typography-demo');
  const labelOf = useOptionLabel();
  return (
    <Field label={t(`tester.${name}.label`)}>
      {(control) => (
        <select {...control} name={name} defaultValue={value} className={controlClass}>
          {typeSettings[name].map((option) => (
            <option key={option} value={option}>
              {labelOf(name, option)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** What an option says: a name, or its number with what it counts. */
function useOptionLabel() {
  const { t } = useTranslation('typography-demo');
  return (name: TypeSettingName, option: string): string => {
    switch (name) {
      case 'family':
        return option === 'space-grotesk' ? familyNames['space-grotesk'] : familyNames['dm-sans'];
      case 'size':
        return t('tester.size.pixels', { count: Number(option) });
      case 'weight':
        return t(`tester.weight.${option}`);
      case 'leading':
        return option === 'script'
          ? t('tester.leading.script')
          : t('tester.leading.times', { value: Number(option) });
      case 'measure':
        return t('tester.measure.characters', { count: Number(option) });
    }
  };
}

import { Form, Link, useLocation, useSearchParams, useSubmit } from '@remix-run/react';
import { type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { fonts } from '../../brand/fonts.ts';
import { buttonClass } from '../../components/ui/button.tsx';
import { DynamicIcon } from '../../components/ui/dynamic-icon.tsx';
import { controlClass, Field } from '../../components/ui/field.tsx';
import { Icon } from '../../components/ui/icon.tsx';
import type { PreparedIcons } from '../../server/icons/icons.ts';
import {
  iconClass,
  iconName,
  parseTypeSettings,
  type TypeSettingName,
  type TypeSettings,
  typeClass,
  typeSettings,
} from './type-settings.ts';

/** Names of typefaces are not translated. */
const familyNames: Record<TypeSettings['family'], string> = {
  text: fonts.text.family,
  headings: fonts.headings.family,
};

const names: readonly TypeSettingName[] = ['family', 'size', 'weight', 'leading', 'measure', 'icon'];

/** One control per line with its label beside it on small screens, and columns on wider ones. */
const controlsClass =
  'grid grow grid-cols-1 items-start gap-x-4 gap-y-2 sm:grid-cols-3 sm:gap-y-4 ' +
  'max-sm:*:grid-cols-[1fr_minmax(0,11rem)] max-sm:*:items-center';

/**
 * A sample text that can be edited and an icon beside it, with settings. The settings are in the query, so they can be
 * shared as a link and work without scripts. With scripts a change has an immediate effect.
 */
export function TypeTester({ icons }: { icons: PreparedIcons }) {
  const { t, i18n } = useTranslation('typography-demo');
  const [query] = useSearchParams();
  const settings = parseTypeSettings(query);
  const icon = iconName(settings);
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface shadow-raised">
      <TypeControls settings={settings} />
      <div className="flex px-5 py-10 sm:px-8 sm:py-14">
        {icon === null ? null : (
          <span
            // As high as the first line of the text, and below the same padding and border.
            className={`${typeClass(settings)} me-[calc(0.75rem+0.25em)] box-content flex h-[1lh] shrink-0 items-center border-y border-transparent py-2`}
          >
            <DynamicIcon name={icon} prepared={icons} className={iconClass(settings)} />
          </span>
        )}
        {/* The key resets the text when the language changes. Otherwise the visitor's text stays. */}
        <textarea
          key={i18n.language}
          aria-label={t('tester.sampleLabel')}
          defaultValue={t('tester.sample')}
          autoComplete="off"
          spellCheck={false}
          rows={4}
          className={`${typeClass(settings)} field-sizing-content -mx-3 block w-full min-w-0 resize-none rounded-control border border-transparent px-3 py-2 hover:border-line-strong focus:border-line-strong`}
        />
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
      aria-label={t('tester.title')}
      onChange={(event) => submit(event.currentTarget, options)}
      className="flex flex-col gap-x-4 gap-y-2 border-b border-line bg-sunken p-5 text-sm sm:gap-y-4 sm:px-8 xl:flex-row xl:items-end"
    >
      <div className={controlsClass}>
        {names.map((name) => (
          <TypeControl key={name} name={name} label={t(`tester.${name}.label`)} value={settings[name]} />
        ))}
      </div>
      <div className="flex flex-wrap gap-2">
        {/* With scripts a change takes effect at once. */}
        <button type="submit" className={`${buttonClass('secondary')} [@media(scripting:enabled)]:hidden`}>
          {t('tester.apply')}
        </button>
        <Link {...options} to={pathname} className={buttonClass('quiet')}>
          {t('tester.reset')}
        </Link>
      </div>
    </Form>
  );
}

type TypeControlProps = { name: TypeSettingName; label: string; value: string };

function TypeControl({ name, label, value }: TypeControlProps) {
  return (
    <Field label={label}>
      {({ id }) => (
        <span className="relative grid">
          <TypeSelect id={id} name={name} value={value} />
        </span>
      )}
    </Field>
  );
}

function TypeSelect({ id, name, value }: { id: string; name: TypeSettingName; value: string }) {
  const labelOf: (option: never) => string = useOptionLabels()[name];
  const select = useRef<HTMLSelectElement>(null);
  useChangedValue(select, value);
  return (
    <>
      <select
        ref={select}
        id={id}
        name={name}
        defaultValue={value}
        className={`${controlClass} select-list pe-10`}
      >
        {typeSettings[name].map((option) => (
          <option key={option} value={option}>
            {labelOf(option as never)}
          </option>
        ))}
      </select>
      <Icon
        name="lucide:chevron-down"
        className="pointer-events-none absolute inset-y-0 end-3 my-auto size-4 text-ink-muted"
      />
    </>
  );
}

/**
 * Selects a value that the reset link or the history has changed. The select stays in the document, and with it the focus.
 * A value that was selected before hydration is not overwritten.
 */
function useChangedValue(select: RefObject<HTMLSelectElement>, value: string): void {
  const previous = useRef(value);
  useEffect(() => {
    if (select.current && value !== previous.current) select.current.value = value;
    previous.current = value;
  }, [select, value]);
}

type OptionLabels = { [Name in TypeSettingName]: (option: TypeSettings[Name]) => string };

/** Returns a function for each setting that labels its options: with a name, or with a number and its unit. */
function useOptionLabels(): OptionLabels {
  const { t } = useTranslation('typography-demo');
  return {
    family: (option) => familyNames[option],
    size: (option) => t('tester.size.pixels', { count: Number(option) }),
    weight: (option) => t(`tester.weight.${option}`),
    leading: (option) =>
      option === 'script' ? t('tester.leading.script') : t('tester.leading.times', { value: Number(option) }),
    measure: (option) => t('tester.measure.characters', { count: Number(option) }),
    icon: (option) => t(`tester.icon.${option}`),
  };
}

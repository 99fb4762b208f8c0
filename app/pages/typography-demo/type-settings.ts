/** The settings of the typography page's sample: parsed from the query, checked against lists, applied as classes. */

const allowedValues = {
  family: ['text', 'headings'],
  size: ['16', '18', '20', '24', '32', '48'],
  weight: ['300', '400', '500', '600', '700'],
  leading: ['script', '1.2', '1.4', '1.6', '1.8', '2'],
  measure: ['30', '45', '65', '80'],
  icon: ['none', 'book-open', 'camera', 'coffee', 'heart', 'leaf', 'lightbulb', 'music', 'star'],
} as const;

export type TypeSettingName = keyof typeof allowedValues;
type TextSettingName = Exclude<TypeSettingName, 'icon'>;
export type TypeSettings = { [Name in TypeSettingName]: (typeof allowedValues)[Name][number] };

/** The allowed values of each setting, in the order of the options. */
export const typeSettings: { [Name in TypeSettingName]: readonly TypeSettings[Name][] } = allowedValues;

const defaults: TypeSettings = {
  family: 'text',
  size: '20',
  weight: '400',
  leading: 'script',
  measure: '65',
  icon: 'none',
};

/** The settings in a query. Missing and invalid settings have their default values. */
export function parseTypeSettings(query: URLSearchParams): TypeSettings {
  return {
    family: allowed(typeSettings.family, query.get('family')) ?? defaults.family,
    size: allowed(typeSettings.size, query.get('size')) ?? defaults.size,
    weight: allowed(typeSettings.weight, query.get('weight')) ?? defaults.weight,
    leading: allowed(typeSettings.leading, query.get('leading')) ?? defaults.leading,
    measure: allowed(typeSettings.measure, query.get('measure')) ?? defaults.measure,
    icon: allowed(typeSettings.icon, query.get('icon')) ?? defaults.icon,
  };
}

function allowed<Value extends string>(values: readonly Value[], value: string | null): Value | undefined {
  return values.find((known) => known === value);
}

/** Complete class names, because Tailwind finds only those that appear in the source. */
const classes: { [Name in TextSettingName]: Record<TypeSettings[Name], string> } = {
  family: { text: 'font-sans', headings: 'font-display' },
  size: {
    '16': 'text-[1rem]',
    '18': 'text-[1.125rem]',
    '20': 'text-[1.25rem]',
    '24': 'text-[1.5rem]',
    '32': 'text-[2rem]',
    '48': 'text-[3rem]',
  },
  weight: {
    '300': 'font-light',
    '400': 'font-normal',
    '500': 'font-medium',
    '600': 'font-semibold',
    '700': 'font-bold',
  },
  leading: {
    script: 'leading-(--leading-text)',
    '1.2': 'leading-[1.2]',
    '1.4': 'leading-[1.4]',
    '1.6': 'leading-[1.6]',
    '1.8': 'leading-[1.8]',
    '2': 'leading-[2]',
  },
  measure: { '30': 'max-w-[30ch]', '45': 'max-w-[45ch]', '65': 'max-w-[65ch]', '80': 'max-w-[80ch]' },
};

/** The strokes of an icon in Lucide's grid of 24, as thick as the letters of each weight. */
const strokes: Record<TypeSettings['weight'], string> = {
  '300': '*:stroke-[1.25]',
  '400': '*:stroke-[1.75]',
  '500': '*:stroke-2',
  '600': '*:stroke-[2.5]',
  '700': '*:stroke-3',
};

/** The classes that apply the settings to text. */
export function typeClass({ family, size, weight, leading, measure }: TypeSettings): string {
  return [
    classes.family[family],
    classes.size[size],
    classes.weight[weight],
    classes.leading[leading],
    classes.measure[measure],
  ].join(' ');
}

/** The full name of the icon beside the text, or null. */
export function iconName({ icon }: TypeSettings): string | null {
  return icon === 'none' ? null : `lucide:${icon}`;
}

/** The classes of the icon beside the text: the size of its letters, and strokes of their weight. */
export function iconClass({ weight }: TypeSettings): string {
  return `size-[1.15em] ${strokes[weight]}`;
}

/**
 * The typefaces of the scripts that the Latin families of the site lack. To support another script, add its line here
 * and install its package; a language in one of these scripts needs no change.
 */
import type { Style, Weight } from './subset-typeface.ts';

/** A file with all characters of a language. */
export type Cut = {
  /** The end of its name. */
  name: string;
  weight: Weight;
  /** The weights for which browsers use the file. */
  cssWeight: string;
  style?: Style;
  /**
   * Optional where letters differ in width from those of the device, because text that changed its font would break lines
   * at other words.
   */
  display: 'optional' | 'swap';
};

export type Typeface = {
  /** A package of Fontsource with a variable weight. Characters that it lacks come from the next package. */
  packages: readonly string[];
  cuts: readonly Cut[];
  /**
   * Characters that the Latin families have as well, but which belong to this script: they are wide in Chinese and
   * Japanese.
   */
  own: string;
  /** Fonts of devices that stand in for the files of the site, in order of preference. */
  deviceFonts: readonly DeviceFont[];
};

/** A font of devices, scaled to the width of the site's font. */
export type DeviceFont = {
  /** Full or PostScript names of the regular and bold weight, as `local()` in CSS takes them. */
  regular: readonly string[];
  bold?: readonly string[];
  /** Percentages by which to scale both weights, so that text is as wide as in the weights 400 and 600 of the site. */
  scale: readonly [regular: number, bold: number];
};

/** Symbols, and letters of Latin languages that the families of the site do not contain. */
const REMAINDER = '@fontsource-variable/noto-sans';

/*
 * The ratios of the widths of all texts of the site in the language, shaped by HarfBuzz. Arial has the same widths on
 * Windows, macOS and iOS. Nirmala UI and Kohinoor Devanagari, the fonts for Hindi of Windows and of Apple, are not in
 * any package, so they are used as they are.
 */
const ARIAL = {
  regular: ['Arial', 'ArialMT', 'LiberationSans'],
  bold: ['Arial Bold', 'Arial-BoldMT', 'LiberationSans-Bold'],
};
const DEJAVU = { regular: ['DejaVuSans'], bold: ['DejaVuSans-Bold'] };
/** The regular and bold weights of fonts of Google. */
const google = (...names: string[]) => ({
  regular: names.map((name) => `${name}-Regular`),
  bold: names.map((name) => `${name}-Bold`),
});

const cyrillicFonts: DeviceFont[] = [
  { ...ARIAL, scale: [105.4, 101.9] },
  { ...google('Roboto'), scale: [102.7, 106.2] },
  { ...google('NotoSans'), scale: [98.6, 95.3] },
  { ...DEJAVU, scale: [91.9, 87.5] },
];
const arabicFonts: DeviceFont[] = [
  { ...google('NotoSansArabic', 'NotoSansArabicUI'), scale: [99.9, 96.4] },
  { ...ARIAL, scale: [125.1, 130.8] },
  { ...google('NotoNaskhArabicUI', 'NotoNaskhArabic'), scale: [110.1, 112.6] },
  { ...DEJAVU, scale: [95.3, 84.8] },
];
const devanagariFonts: DeviceFont[] = [
  { ...google('NotoSansDevanagari', 'NotoSansDevanagariUI'), scale: [100.1, 96.8] },
  { regular: ['Lohit-Devanagari'], scale: [100.7, 106.4] },
];

/** Chinese and Japanese letters have the same width in all fonts. */
const chineseFonts: DeviceFont[] = [
  {
    regular: [
      ...['PingFang SC', 'PingFangSC-Regular', 'Hiragino Sans GB', 'Microsoft YaHei'],
      ...['Noto Sans CJK SC', 'NotoSansCJKsc-Regular', 'Noto Sans SC'],
    ],
    scale: [100, 100],
  },
];
const japaneseFonts: DeviceFont[] = [
  {
    regular: [
      ...[
        'Hiragino Sans',
        'HiraginoSans-W3',
        'Hiragino Kaku Gothic ProN',
        'HiraKakuProN-W3',
        'Yu Gothic',
        'Meiryo',
      ],
      ...['Noto Sans CJK JP', 'NotoSansCJKjp-Regular', 'Noto Sans JP'],
    ],
    scale: [100, 100],
  },
];

const WIDE_PUNCTUATION = '“”‘’—…·';

const variable = (min: number, max: number): Cut => ({
  name: 'text',
  weight: { min, max },
  cssWeight: '1 1000',
  display: 'optional',
});
/** Emphasis in running text. */
const italic: Cut = { name: 'italic', weight: 400, cssWeight: '1 1000', style: 'italic', display: 'swap' };
/** The parts of Chinese and Japanese packages can be joined only with a fixed weight. */
const textAndBold: Cut[] = [
  { name: 'text', weight: 400, cssWeight: '1 599', display: 'swap' },
  { name: 'bold', weight: 600, cssWeight: '600 1000', display: 'swap' },
];

/** By the script codes of ISO 15924, as `Intl.Locale` writes them. */
const typefaces: Record<string, Typeface> = {
  Latn: { packages: [REMAINDER], cuts: [variable(300, 700)], own: '', deviceFonts: [] },
  Cyrl: {
    packages: [REMAINDER],
    cuts: [variable(300, 700), italic],
    own: '',
    deviceFonts: cyrillicFonts,
  },
  Arab: {
    packages: ['@fontsource-variable/noto-sans-arabic', REMAINDER],
    cuts: [variable(300, 700)],
    own: '',
    deviceFonts: arabicFonts,
  },
  // The light weights would make the file a third larger, and no page but the typography page uses them.
  Deva: {
    packages: ['@fontsource-variable/noto-sans-devanagari', REMAINDER],
    cuts: [variable(400, 700)],
    own: '',
    deviceFonts: devanagariFonts,
  },
  Hans: {
    packages: ['@fontsource-variable/noto-sans-sc', REMAINDER],
    cuts: textAndBold,
    own: WIDE_PUNCTUATION,
    deviceFonts: chineseFonts,
  },
  Jpan: {
    packages: ['@fontsource-variable/noto-sans-jp', REMAINDER],
    cuts: textAndBold,
    own: WIDE_PUNCTUATION,
    deviceFonts: japaneseFonts,
  },
};

/** The file with the less frequent Latin letters of a family, which pages use as the package has it. */
export function latinExtension(family: string): string {
  return `@fontsource-variable/${family}/files/${family}-latin-ext-wght-normal.woff2`;
}

/** The typeface for the script of a language tag such as `zh-CN`. Throws for a script without one. */
export function typefaceOf(iso: string): Typeface {
  const { script } = new Intl.Locale(iso).maximize();
  const typeface = script === undefined ? undefined : typefaces[script];
  if (typeface) return typeface;
  throw new Error(
    `No typeface for the script ${script} of ${iso}: add it to tools/build/fonts/typefaces.ts.`,
  );
}

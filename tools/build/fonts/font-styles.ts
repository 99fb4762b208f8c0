/** The style sheets of the font files: `@font-face` rules, and the families of each language. */
import { fonts } from '../../../app/brand/fonts.ts';
import { fallbackFaces, type Weights } from './fallback-fonts.ts';
import { type DeviceFont, latinExtension, type Typeface } from './typefaces.ts';

/** A file in a family of CSS, and the characters that the browser uses it for. */
export type FontFace = {
  family: string;
  file: string;
  characters: readonly string[];
  /** The weights for which the browser uses the file. */
  weight: string;
  style: 'normal' | 'italic';
  display: 'optional' | 'swap';
};

const FALLBACK_RANGE = 'U+0000-02FF, U+1E00-1EFF, U+2000-206F, U+20A0-20C0, U+2122, U+2190-2215';

/**
 * The two Latin families with their fallback fonts. `characters` are those of each file.
 *
 * The preloaded file is optional: if it does not arrive with the style sheet, the document keeps its fallback fonts, and
 * the next one has the file in the browser's cache. Text that changed its font would break lines at other words.
 *
 * The less frequent letters are a family of their own. When a font arrives, Chromium lays all text out again that has
 * looked for a letter in a family with a file that is missing, and few texts look for one in the second family. The files
 * of a family share no character, because browsers would load both when the first is late. They declare the same weights,
 * because otherwise a browser chooses one file by weight and ignores the other.
 */
export function latinStyles(
  characters: ReadonlyMap<string, readonly string[]>,
  weights: ReadonlyMap<string, Weights>,
): string {
  const families = Object.entries(fonts).map(([name, { family, file }]) => ({ name, family, file }));
  const rules = families.flatMap(({ family, file }) => {
    const [latin, rest, italic] = [`${file}-latin.woff2`, latinExtension(file), `${file}-latin-italic.woff2`];
    const face = (source: string, changes: Partial<FontFace>) =>
      fontFace({
        ...{ family, file: source, characters: characters.get(source) ?? [] },
        ...{ weight: '300 700', style: 'normal', display: 'swap' },
        ...changes,
      });
    const inLatin = new Set(characters.get(latin));
    const others = (characters.get(rest) ?? []).filter((character) => !inLatin.has(character));
    return [
      face(latin, { display: 'optional' }),
      face(rest, { family: `${family} Rest`, characters: others }),
      ...(characters.has(italic) ? [face(italic, { weight: '400', style: 'italic' })] : []),
    ];
  });
  const fallbacks = [...weights].flatMap(([name, found]) => fallbackFaces(name, found));
  const fallbackRules = fallbacks.map((face) => rule({ ...face, 'unicode-range': FALLBACK_RANGE }));
  const variables = families.flatMap(({ name, family }) => [
    [`--latin-${name}`, quoted(family)] as const,
    [`--latin-${name}-rest`, quoted(`${family} Rest`)] as const,
  ]);
  return styleSheet([...rules, ...fallbackRules], { ':root': Object.fromEntries(variables) });
}

/**
 * The style sheet of pages in a language. Characters that the script shares with Latin are wide in it, so its fonts come
 * first there, and those of the device for them as well. Until the files arrive, other text has the width of the site's.
 */
export function scriptStyles(
  code: string,
  faces: readonly FontFace[],
  { own, deviceFonts }: Typeface,
): string {
  const characters = own === '' ? faces.flatMap((face) => face.characters) : [...own];
  const device = deviceFaces(`Device ${code}`, deviceFonts, characters);
  const families = [...new Set(faces.map(({ family }) => family)), ...device.families];
  const last = lastFaces(`Last ${code}`, faces);
  return styleSheet([...faces.map(fontFace), ...device.rules, ...last.map(fontFace)], {
    [`:lang(${code})`]: {
      [own === '' ? '--script-text' : '--script-first']: families.map(quoted).join(', '),
      '--script-last': last.length > 0 ? quoted(`Last ${code}`) : 'initial',
      // The files for words on other pages have few letters, and text would be set in two fonts.
      '--script-words': 'initial',
    },
  });
}

/**
 * The style sheet for a language's words on pages in other languages: names and greetings everywhere, and sentences in
 * elements with the attribute `data-words`.
 */
export function wordStyles(
  code: string,
  words: Readonly<Record<'names' | 'sentences', readonly FontFace[]>>,
): string {
  const selectors = { names: `:lang(${code})`, sentences: `[data-words] :lang(${code})` };
  const parts = (['names', 'sentences'] as const).flatMap((kind) => {
    const [face] = words[kind];
    if (!face) return [];
    const last = `${face.family} Last`;
    const rules = [...words[kind], ...lastFaces(last, words[kind])].map(fontFace);
    const families = { '--script-words': quoted(face.family), '--script-last': quoted(last) };
    return [{ rules, families: [selectors[kind], families] as const }];
  });
  return styleSheet(
    parts.flatMap(({ rules }) => rules),
    Object.fromEntries(parts.map(({ families }) => families)),
  );
}

/** The optional files again, after all other fonts: a device without a font of the script waits for them. */
function lastFaces(family: string, faces: readonly FontFace[]): FontFace[] {
  const optional = faces.filter(({ display }) => display === 'optional');
  return optional.map((face) => ({ ...face, family, display: 'swap' }));
}

/** One family for each font of devices, because each has its own scale. A browser skips those that it does not find. */
function deviceFaces(
  name: string,
  fonts: readonly DeviceFont[],
  characters: readonly string[],
): { families: string[]; rules: string[] } {
  const faces = fonts.map(({ regular, bold = regular, scale }, index) => {
    const family = `${name} ${index + 1}`;
    const face = (weight: string, names: readonly string[], percent: number) =>
      rule({
        'font-family': quoted(family),
        'font-weight': weight,
        src: names.map((full) => `local(${quoted(full)})`).join(', '),
        'size-adjust': `${percent}%`,
        'unicode-range': unicodeRange(characters),
      });
    // A browser searches for the names of each rule.
    const rules =
      bold === regular && scale[0] === scale[1]
        ? [face('1 1000', regular, scale[0])]
        : [face('1 599', regular, scale[0]), face('600 1000', bold, scale[1])];
    return { family, rules };
  });
  return { families: faces.map(({ family }) => family), rules: faces.flatMap(({ rules }) => rules) };
}

function fontFace({ family, file, characters, weight, style, display }: FontFace): string {
  return rule({
    'font-family': quoted(family),
    'font-style': style,
    'font-weight': weight,
    'font-display': display,
    src: `url("${file.startsWith('@') ? file : `./${file}`}") format("woff2")`,
    'unicode-range': unicodeRange(characters),
  });
}

function rule(descriptors: Record<string, string>): string {
  return `@font-face {\n${declarations(descriptors, '  ')}\n}`;
}

/** `variables` are the custom properties by selector. */
function styleSheet(
  rules: readonly string[],
  variables: Readonly<Record<string, Record<string, string>>>,
): string {
  const blocks = Object.entries(variables).map(
    ([selector, properties]) => `  ${selector} {\n${declarations(properties, '    ')}\n  }\n`,
  );
  return `${rules.join('\n')}\n@layer base {\n${blocks.join('')}}\n`;
}

function declarations(values: Record<string, string>, indent: string): string {
  return Object.entries(values)
    .map(([name, value]) => `${indent}${name}: ${value};`)
    .join('\n');
}

/** A `unicode-range` descriptor of exactly these characters. */
function unicodeRange(characters: readonly string[]): string {
  const codes = [...new Set(characters)]
    .map((character) => character.codePointAt(0) ?? 0)
    .sort((one, other) => one - other);
  const ranges: { from: number; to: number }[] = [];
  for (const code of codes) {
    const last = ranges.at(-1);
    if (last && code === last.to + 1) last.to = code;
    else ranges.push({ from: code, to: code });
  }
  const hex = (code: number) => code.toString(16).toUpperCase();
  return ranges
    .map(({ from, to }) => (from === to ? `U+${hex(from)}` : `U+${hex(from)}-${hex(to)}`))
    .join(', ');
}

function quoted(name: string): string {
  return `"${name}"`;
}

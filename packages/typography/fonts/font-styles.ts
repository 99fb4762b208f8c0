/** The style sheets of the font files: `@font-face` rules, and the families of each language. */
import { fonts } from '../../../app/brand/fonts.ts';
import { fallbackFaces, type Weights } from './fallback-fonts.ts';
import type { PlannedFile } from './font-plan.ts';
import { type DeviceFont, latinExtension, type Typeface } from './typefaces.ts';

/** A file that was made as planned, and the characters that the browser uses it for. */
export type FontFace = { plan: PlannedFile; file: string; characters: readonly string[] };

/**
 * The style sheet of pages in a language. `own` are the characters for which the language's font comes before the Latin
 * one. Where a weight has only some characters, the others are set in the regular weight.
 */
export function localeStyles(code: string, faces: readonly FontFace[], typeface: Typeface): string {
  return 'from' in typeface.weights
    ? variableStyles(code, faces, typeface)
    : fixedStyles(code, faces, typeface);
}

/**
 * Letters differ in width from those of the device, so text that changed its font would break lines at other words. The
 * file that pages preload is optional: if it does not arrive with the style sheet, the document keeps the fonts of the
 * device. Only a device without a font of the script waits for the file.
 */
function variableStyles(code: string, faces: readonly FontFace[], { deviceFonts }: Typeface): string {
  const display = ({ file }: FontFace) => (file === `${code}-text.woff2` ? 'optional' : 'swap');
  const text = faces.map((face) => fontFace(face, { display: display(face) }));
  const last = faces.map((face) => fontFace(face, { family: `Last ${code}` }));
  const device = deviceFaces(
    `Device ${code}`,
    deviceFonts,
    faces.flatMap(({ characters }) => characters),
  );
  const families = [...new Set(faces.map(({ plan }) => plan.family)), ...device.families];
  return styleSheet(code, [...text, ...device.rules, ...last], {
    '--script-text': families,
    '--script-last': [`Last ${code}`],
  });
}

/** Letters are as wide as those of the device, so text can change its font. Punctuation is wide as well. */
function fixedStyles(code: string, faces: readonly FontFace[], { own, deviceFonts }: Typeface): string {
  const regular = faces.filter(({ plan }) => plan.cssWeight === '1 599');
  const punctuation = faces.flatMap((face) => {
    const characters = face.characters.filter((character) => own.includes(character));
    return characters.length > 0 ? [{ ...face, characters }] : [];
  });
  const device = deviceFaces(`Punctuation ${code} Device`, deviceFonts, [...own]);
  const rules = [
    ...faces.map((face) => fontFace(face)),
    ...regular.map((face) => fontFace(face, { family: `Regular ${code}`, weight: '1 1000' })),
    ...punctuation.map((face) => fontFace(face, { family: `Punctuation ${code}` })),
    ...device.rules,
  ];
  return styleSheet(code, rules, {
    '--script-text': [...new Set(faces.map(({ plan }) => plan.family)), `Regular ${code}`],
    '--script-first': [`Punctuation ${code}`, ...device.families],
  });
}

function styleSheet(
  code: string,
  rules: readonly string[],
  variables: Record<string, readonly string[]>,
): string {
  const declarations = Object.entries(variables).map(
    ([name, families]) => `${name}: ${families.map(quoted).join(', ')};`,
  );
  // The files for words on other pages have few letters, and text would be set in two fonts.
  declarations.push('--script-words: initial;');
  return `${rules.join('\n')}\n@layer base {\n  :lang(${code}) {\n    ${declarations.join('\n    ')}\n  }\n}\n`;
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

/** The characters of each Latin file. */
type LatinCharacters = ReadonlyMap<string, readonly string[]>;

const FALLBACK_RANGE = 'U+0000-02FF, U+1E00-1EFF, U+2000-206F, U+20A0-20C0, U+2122, U+2190-2215';

/**
 * The two Latin families with their fallback fonts, which every page may use. Other scripts have better fallback fonts in
 * `--faces`.
 */
export function latinStyles(characters: LatinCharacters, weights: ReadonlyMap<string, Weights>): string {
  const fallbacks = (name: string, { file }: { file: string }) => {
    const found = weights.get(file);
    return found ? fallbackFaces(name, found) : [];
  };
  const rules = [...fallbacks('Text', fonts.text), ...fallbacks('Headings', fonts.headings)].map((face) =>
    rule({ ...face, 'unicode-range': FALLBACK_RANGE }),
  );
  return latinFamilies('', ['latin'], characters, rules);
}

/** The Latin families of pages in other scripts. Each has a small file for the most frequent characters. */
export function basicLatinStyles(characters: LatinCharacters): string {
  return latinFamilies(' Basic', ['basic', 'latin'], characters);
}

/**
 * Both families from these files of each, and that of the package with the less frequent letters. The first file is
 * preloaded and optional: if it does not arrive with the style sheet, the document keeps its fallback fonts, and the next
 * one has the file in the browser's cache. Text that changed its font would break lines at other words.
 *
 * The other upright files are a family of their own. Their characters are not in the first file, because browsers would
 * load them when that is late. When a font arrives, Chromium lays all text out again that has looked for a letter in a
 * family with a file that is missing. Few texts look for one in the second family. All files must declare the same
 * weights, because otherwise a browser chooses one file by weight and ignores the others.
 */
function latinFamilies(
  suffix: string,
  parts: readonly string[],
  characters: LatinCharacters,
  fallbacks: readonly string[] = [],
): string {
  const families = Object.entries(fonts).map(([name, { family, file }]) => ({
    name,
    file,
    first: `${family}${suffix}`,
    rest: `${family}${suffix} Rest`,
  }));
  const rules = families.flatMap(({ first, rest, file }) => {
    const face = (
      family: string,
      { file: source, shown }: ShownFile,
      style: string,
      weight: string,
      display: string,
    ) =>
      rule({
        'font-family': quoted(family),
        'font-style': style,
        'font-weight': weight,
        'font-display': display,
        src: `url("${source.startsWith('@') ? source : `./${source}`}") format("woff2")`,
        'unicode-range': unicodeRange(shown),
      });
    const upright = [...parts.map((part) => `${file}-${part}.woff2`), latinExtension(file)];
    const italic = [`${file}-latin-italic.woff2`].filter((name) => characters.has(name));
    return [
      ...shownFiles(upright, characters).map((shown, index) =>
        index === 0
          ? face(first, shown, 'normal', '300 700', 'optional')
          : face(rest, shown, 'normal', '300 700', 'swap'),
      ),
      ...shownFiles(italic, characters).map((shown) => face(first, shown, 'italic', '400', 'swap')),
    ];
  });
  const variables = families.flatMap(({ name, first, rest }) => [
    `    --latin-${name}: ${quoted(first)};`,
    `    --latin-${name}-rest: ${quoted(rest)};`,
  ]);
  return `${[...rules, ...fallbacks].join('\n')}\n@layer base {\n  :root {\n${variables.join('\n')}\n  }\n}\n`;
}

type ShownFile = { file: string; shown: readonly string[] };

/** The files, each with its characters that the files before it lack. */
function shownFiles(files: readonly string[], characters: LatinCharacters): ShownFile[] {
  const taken = new Set<string>();
  return files.map((file) => {
    const shown = (characters.get(file) ?? []).filter((character) => !taken.has(character));
    for (const character of shown) taken.add(character);
    return { file, shown };
  });
}

/**
 * When words on pages in other languages get the letters of the site, by namespace. A name in the language menu has a line
 * of its own, so nothing moves when its width changes. The sentences of the typography page stay invisible until their
 * file arrives, for three seconds at most, and their height is reserved. Other words keep the font of the device if the
 * file is late, because they are visible at once and share their lines.
 */
const WORD_DISPLAYS: Record<string, Display> = { common: 'swap', 'typography-demo': 'block' };

/**
 * The style sheet for a language's words on pages in other languages. `data-words` names the namespace of the words in an
 * element; without it they are those of `common`. Letters that are as wide as those of the device always change their
 * font.
 */
export function wordStyles(
  code: string,
  namespaces: readonly string[],
  faces: readonly FontFace[],
  { weights }: Typeface,
): string {
  const parts = namespaces.map((namespace) => {
    const family = `Words ${code} ${namespace}`;
    const display = 'from' in weights ? (WORD_DISPLAYS[namespace] ?? 'optional') : 'swap';
    const isOptional = display === 'optional';
    const rules = faces
      .filter(({ plan }) => plan.family === family)
      .flatMap((face) => [
        fontFace(face, { display }),
        ...(isOptional ? [fontFace(face, { family: `${family} Last` })] : []),
      ]);
    const scope = namespace === 'common' ? '' : `[data-words="${namespace}"] `;
    const last = isOptional ? `\n    --script-last: ${quoted(`${family} Last`)};` : '';
    const selector = `  ${scope}:lang(${code}) {\n    --script-words: ${quoted(family)};${last}\n  }`;
    return { rules, selector };
  });
  const rules = parts.flatMap((part) => part.rules).join('\n');
  return `${rules}\n@layer base {\n${parts.map(({ selector }) => selector).join('\n\n')}\n}\n`;
}

type Display = 'swap' | 'optional' | 'block';
type FaceOptions = { family?: string; weight?: string; display?: Display };

function fontFace(
  { plan, file, characters }: FontFace,
  { family = plan.family, weight = plan.cssWeight, display = 'swap' }: FaceOptions = {},
): string {
  return rule({
    'font-family': quoted(family),
    'font-style': plan.style,
    'font-weight': weight,
    'font-display': display,
    src: `url("./${file}") format("woff2")`,
    'unicode-range': unicodeRange(characters),
  });
}

function rule(descriptors: Record<string, string>): string {
  const lines = Object.entries(descriptors).map(([name, value]) => `  ${name}: ${value};`);
  return ['@font-face {', ...lines, '}'].join('\n');
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

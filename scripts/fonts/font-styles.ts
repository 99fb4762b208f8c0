/** The style sheets of the font files: `@font-face` rules, and the families of each language. */
import type { PlannedFile } from './font-plan.ts';

/** A file that was made as planned, and the characters that the browser uses it for. */
export type FontFace = { plan: PlannedFile; file: string; characters: readonly string[] };

/**
 * The style sheet of pages in a language. `own` are the characters for which the language's font comes before the Latin
 * one. Where a weight has only some characters, the others are set in the regular weight, made bold by the browser.
 */
export function localeStyles(code: string, faces: readonly FontFace[], own: string): string {
  const hasHeadings = faces.some(({ plan }) => plan.cssWeight !== '1 1000' && plan.cssWeight !== '1 599');
  const regular = hasHeadings ? faces.filter(({ plan }) => plan.cssWeight === '1 599') : [];
  const first = faces.filter(({ characters }) => characters.some((character) => own.includes(character)));
  const rules = [
    ...faces.map((face) => fontFace(face, face.plan.family, face.plan.cssWeight, face.characters)),
    ...regular.map((face) => fontFace(face, `Regular ${code}`, '400', face.characters)),
    ...first.map((face) => {
      const characters = face.characters.filter((character) => own.includes(character));
      return fontFace(face, `Punctuation ${code}`, face.plan.cssWeight, characters);
    }),
  ];
  const families = [
    ...new Set(faces.map(({ plan }) => plan.family)),
    ...(hasHeadings ? [`Regular ${code}`] : []),
  ];
  const declarations = [
    `--script-text: ${families.map(quoted).join(', ')};`,
    ...(first.length > 0 ? [`--script-first: ${quoted(`Punctuation ${code}`)};`] : []),
  ];
  return `${rules.join('\n')}\n@layer base {\n  :lang(${code}) {\n    ${declarations.join('\n    ')}\n  }\n}\n`;
}

/**
 * The style sheet for a language's words on pages in other languages. `data-words` names the namespace of the words in an
 * element; without it they are those of `common`.
 */
export function wordStyles(code: string, namespaces: readonly string[], faces: readonly FontFace[]): string {
  const rules = faces.map((face) => fontFace(face, face.plan.family, face.plan.cssWeight, face.characters));
  const selectors = namespaces.map((namespace) => {
    const scope = namespace === 'common' ? '' : `[data-words="${namespace}"] `;
    return `  ${scope}:lang(${code}) {\n    --script-words: ${quoted(`Words ${code} ${namespace}`)};\n  }`;
  });
  return `${rules.join('\n')}\n@layer base {\n${selectors.join('\n\n')}\n}\n`;
}

function fontFace({ file }: FontFace, family: string, weight: string, characters: readonly string[]): string {
  return [
    '@font-face {',
    `  font-family: ${quoted(family)};`,
    '  font-style: normal;',
    `  font-weight: ${weight};`,
    '  font-display: swap;',
    `  src: url("./${file}") format("woff2");`,
    `  unicode-range: ${unicodeRange(characters)};`,
    '}',
  ].join('\n');
}

/** A `unicode-range` descriptor of exactly these characters. */
function unicodeRange(characters: readonly string[]): string {
  const codes = characters
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

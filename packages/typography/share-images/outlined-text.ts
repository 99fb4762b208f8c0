/** Text as outlines: shaped by HarfBuzz, in the order of the Unicode bidirectional algorithm (annex 9). */
import createBidi from 'bidi-js';
import { Direction, shape, Buffer as TextBuffer } from 'harfbuzzjs';
import { hasNoGlyph } from '../fonts/glyphs.ts';
import type { ImageFont } from './image-fonts.ts';

export type TextStyle = {
  /** The first font that has a character draws it. */
  fonts: readonly ImageFont[];
  /** In pixels. */
  size: number;
  dir: 'ltr' | 'rtl';
  /** The language tag, for forms of letters that differ between languages. */
  language: string;
};

/** Characters with the same direction and font. Odd levels are right-to-left. */
type Run = { text: string; level: number; font: ImageFont };

const bidi = createBidi();

/** The number of the glyph that fonts show for a character that they lack, `.notdef`. */
const MISSING_GLYPH = 0;

/** The width of a line in pixels. */
export function widthOf(text: string, style: TextStyle): number {
  return outlineText(text, style).width;
}

/**
 * Returns the outlines of a line as SVG, from its baseline at 0 0 to the right, and its width in pixels. Throws an error
 * that names a character that no font can draw.
 */
export function outlineText(text: string, style: TextStyle): { svg: string; width: number } {
  let width = 0;
  const paths: string[] = [];
  for (const run of inVisualOrder(runsOf(text, style))) {
    const scale = style.size / run.font.unitsPerEm;
    for (const { codepoint, xAdvance = 0, xOffset = 0, yOffset = 0 } of shapeRun(run, style)) {
      if (codepoint === MISSING_GLYPH) throw new Error(`A font of the image cannot draw “${run.text}”.`);
      const path = run.font.font.glyphToPath(codepoint);
      const at = `${round(width + xOffset * scale)} ${round(-yOffset * scale)}`;
      if (path) paths.push(`<path transform="translate(${at}) scale(${scale} ${-scale})" d="${path}"/>`);
      width += xAdvance * scale;
    }
  }
  return { svg: paths.join(''), width };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function shapeRun({ text, level, font }: Run, { language }: TextStyle) {
  const buffer = new TextBuffer();
  buffer.addText(text);
  buffer.guessSegmentProperties();
  buffer.setDirection(level % 2 === 1 ? Direction.RTL : Direction.LTR);
  buffer.setLanguage(language);
  shape(font.font, buffer);
  return buffer.getGlyphInfosAndPositions();
}

/** Divides a line where the direction or the font changes. Invisible characters keep the font before them. */
function runsOf(text: string, { fonts, dir }: TextStyle): Run[] {
  const { levels } = bidi.getEmbeddingLevels(text, dir);
  const runs: Run[] = [];
  let index = 0;
  for (const character of text.replace(/\p{Zs}/gu, ' ')) {
    const last = runs.at(-1);
    const level = levels[index] ?? 0;
    const font = (character !== ' ' && hasNoGlyph(character) && last?.font) || fontOf(character, fonts);
    if (last && last.level === level && last.font === font) last.text += character;
    else runs.push({ text: character, level, font });
    index += character.length;
  }
  return runs;
}

function fontOf(character: string, fonts: readonly ImageFont[]): ImageFont {
  const font = fonts.find(({ characters }) => characters.has(character));
  if (!font) throw new Error(missing(character));
  return font;
}

/** Throws an error with the place of a text if no font has one of its visible characters. */
export function requireGlyphs(text: string, fonts: readonly ImageFont[], place: string): void {
  const visible = [...text.replace(/\p{Zs}/gu, ' ')].filter((character) => !hasNoGlyph(character));
  const character = visible.find((one) => !fonts.some(({ characters }) => characters.has(one)));
  if (character) throw new Error(`${place}: ${missing(character)}`);
}

function missing(character: string): string {
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return `No font of the image has the character “${character}” (U+${code}).`;
}

/** Reverses the sequences of each level and above, from the highest level to the lowest odd one (rule L2). */
function inVisualOrder(runs: readonly Run[]): Run[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level >= 1; level -= 1) {
    for (let start = 0; start < ordered.length; start += 1) {
      if ((ordered[start]?.level ?? 0) < level) continue;
      const length = ordered.slice(start).findIndex((run) => run.level < level);
      const end = length === -1 ? ordered.length : start + length;
      ordered.splice(start, end - start, ...ordered.slice(start, end).reverse());
      start = end;
    }
  }
  return ordered;
}

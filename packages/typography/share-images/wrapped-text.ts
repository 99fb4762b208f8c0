/** Text in lines of similar width, and in the largest size that fits. */
import { type TextStyle, widthOf } from './outlined-text.ts';

export type Block = { lines: string[]; size: number };

/** `lineHeight` is a multiple of the size. */
type Limits = { width: number; height: number; lineHeight: number; sizes: readonly number[] };

/** Returns the lines in the first of `sizes` that fits into `width` and `height`. Throws if none does. */
export function fitText(
  text: string,
  style: Omit<TextStyle, 'size'>,
  { width, height, lineHeight, sizes }: Limits,
): Block {
  for (const size of sizes) {
    const lines = balancedLines(text, { ...style, size }, width);
    if (lines.length * size * lineHeight <= height) return { lines, size };
  }
  throw new Error(`The text is too long for the image: “${text}”`);
}

/** As few lines as possible, and then as narrow as possible, as `text-wrap: balance` does. */
function balancedLines(text: string, style: TextStyle, width: number): string[] {
  let lines = wrap(text, style, width);
  for (let narrower = width * 0.95; narrower > width / 2; narrower *= 0.95) {
    const candidate = wrap(text, style, narrower);
    if (candidate.length > lines.length || candidate.some((line) => widthOf(line, style) > narrower)) break;
    lines = candidate;
  }
  return lines;
}

function wrap(text: string, style: TextStyle, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of unbreakablePieces(text, style.language)) {
    if (line !== '' && widthOf((line + piece).trimEnd(), style) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += piece;
  }
  return [...lines, line.trimEnd()];
}

/** Languages without spaces between words may break between any two words, but not beside punctuation. */
function unbreakablePieces(text: string, language: string): string[] {
  if (!/^(?:ja|zh)/.test(language)) return text.split(/(?<=[ -])/);
  const pieces: string[] = [];
  for (const { segment } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) {
    const last = pieces.length - 1;
    const before = pieces[last];
    const isClosing = /^[\p{Pe}\p{Pf}\p{Po}ー\s]/u.test(segment);
    if (before !== undefined && (isClosing || /[\p{Ps}\p{Pi}]$/u.test(before)))
      pieces[last] = before + segment;
    else pieces.push(segment);
  }
  return pieces;
}

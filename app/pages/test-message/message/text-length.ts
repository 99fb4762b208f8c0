/** Estimates whether a text is so long that the list shows only its beginning. */

/** Texts with more lines are cut after ten. The difference ensures that something is hidden. */
const MAX_LINES = 12;
/** Columns of a message on a phone. A Chinese or Japanese character takes two. */
const PHONE_COLUMNS = 44;

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Where a text is cut: at every width, only in narrow lists, or never. */
export type TextCut = 'always' | 'narrow' | 'never';

/** Line breaks count at every width. How often a line wraps can only be estimated for narrow lists. */
export function textCut(text: string): TextCut {
  const lines = text.split('\n');
  if (lines.length > MAX_LINES) return 'always';
  const wrapped = lines.reduce(
    (sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line) / PHONE_COLUMNS)),
    0,
  );
  return wrapped > MAX_LINES ? 'narrow' : 'never';
}

function columnsOf(line: string): number {
  return [...line].reduce((columns, character) => columns + (WIDE.test(character) ? 2 : 1), 0);
}

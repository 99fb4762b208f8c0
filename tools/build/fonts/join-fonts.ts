/**
 * Joins TrueType fonts of one design into one. Fontsource divides Chinese and Japanese families into more than a hundred
 * files by frequency of the characters, and no library joins them again.
 */
import { Blob, Face, Font } from 'harfbuzzjs';
import { table, writeCharacterMap, writeFont } from './truetype.ts';

/** Offsets and flags of the OpenType specification, "glyf" and "head". */
const HEAD_CHECKSUM = 8;
const HEAD_LOCA_FORMAT = 50;
const HHEA_METRIC_COUNT = 34;
const MAXP_GLYPH_COUNT = 4;
const GLYPH_HEADER_BYTES = 10;
const ARGS_ARE_WORDS = 0x0001;
const HAS_SCALE = 0x0008;
const MORE_COMPONENTS = 0x0020;
const HAS_TWO_SCALES = 0x0040;
const HAS_MATRIX = 0x0080;

type Part = { face: Face; font: Font; firstGlyph: number };

/**
 * One font with all glyphs of `fonts`, without layout features. The fonts must be of the same design, with fixed weight.
 * Metrics and names come from the first.
 */
export function joinFonts(fonts: readonly Uint8Array[]): Buffer {
  const parts: Part[] = [];
  let count = 0;
  for (const data of fonts) {
    const face = new Face(new Blob(data));
    parts.push({ face, font: new Font(face), firstGlyph: count });
    count += table(face, 'maxp').readUInt16BE(MAXP_GLYPH_COUNT);
  }
  const [first] = parts;
  if (!first) throw new Error('No fonts to join.');
  const glyphs = parts.flatMap(glyphsOf);
  const loca = Buffer.alloc((count + 1) * 4);
  let end = 0;
  glyphs.forEach((glyph, index) => {
    end += glyph.length;
    loca.writeUInt32BE(end, (index + 1) * 4);
  });
  const head = table(first.face, 'head');
  head.writeUInt32BE(0, HEAD_CHECKSUM);
  head.writeInt16BE(1, HEAD_LOCA_FORMAT);
  const hhea = table(first.face, 'hhea');
  hhea.writeUInt16BE(count, HHEA_METRIC_COUNT);
  const maxp = largestLimits(parts.map(({ face }) => table(face, 'maxp')));
  maxp.writeUInt16BE(count, MAXP_GLYPH_COUNT);
  return writeFont({
    'OS/2': table(first.face, 'OS/2'),
    cmap: writeCharacterMap(glyphNumbers(parts)),
    glyf: Buffer.concat(glyphs),
    head,
    hhea,
    hmtx: Buffer.concat(parts.map(metricsOf)),
    loca,
    maxp,
    name: table(first.face, 'name'),
    post: table(first.face, 'post'),
  });
}

/** The outlines of a font, with the numbers that its glyphs have in the joined font. */
function glyphsOf({ face, firstGlyph }: Part): Buffer[] {
  const loca = table(face, 'loca');
  const glyf = table(face, 'glyf');
  const isLong = table(face, 'head').readInt16BE(HEAD_LOCA_FORMAT) === 1;
  const count = table(face, 'maxp').readUInt16BE(MAXP_GLYPH_COUNT);
  const offset = (index: number) =>
    isLong ? loca.readUInt32BE(index * 4) : loca.readUInt16BE(index * 2) * 2;
  return Array.from({ length: count }, (_, index) => {
    const glyph = Buffer.from(glyf.subarray(offset(index), offset(index + 1)));
    return renumberComponents(glyph, firstGlyph);
  });
}

/** A glyph that consists of other glyphs refers to them by number. */
function renumberComponents(glyph: Buffer, firstGlyph: number): Buffer {
  if (glyph.length === 0 || glyph.readInt16BE(0) >= 0) return glyph;
  let at = GLYPH_HEADER_BYTES;
  for (let flags = MORE_COMPONENTS; flags & MORE_COMPONENTS; ) {
    flags = glyph.readUInt16BE(at);
    glyph.writeUInt16BE(glyph.readUInt16BE(at + 2) + firstGlyph, at + 2);
    at += 4 + (flags & ARGS_ARE_WORDS ? 4 : 2);
    if (flags & HAS_SCALE) at += 2;
    if (flags & HAS_TWO_SCALES) at += 4;
    if (flags & HAS_MATRIX) at += 8;
  }
  return glyph;
}

/** Width and left side bearing of every glyph. The last width of a font may stand for several glyphs. */
function metricsOf({ face }: Part): Buffer {
  const hmtx = table(face, 'hmtx');
  const widths = table(face, 'hhea').readUInt16BE(HHEA_METRIC_COUNT);
  const count = table(face, 'maxp').readUInt16BE(MAXP_GLYPH_COUNT);
  const metrics = Buffer.alloc(count * 4);
  for (let index = 0; index < count; index += 1) {
    const widthAt = Math.min(index, widths - 1) * 4;
    const bearingAt = index < widths ? index * 4 + 2 : widths * 4 + (index - widths) * 2;
    metrics.writeUInt16BE(hmtx.readUInt16BE(widthAt), index * 4);
    metrics.writeInt16BE(hmtx.readInt16BE(bearingAt), index * 4 + 2);
  }
  return metrics;
}

/** The largest value of each limit: points and contours of a glyph, and so on. */
function largestLimits(tables: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = tables;
  const limits = Buffer.from(first);
  for (let at = MAXP_GLYPH_COUNT; at + 1 < limits.length; at += 2) {
    limits.writeUInt16BE(Math.max(...tables.map((limit) => limit.readUInt16BE(at))), at);
  }
  return limits;
}

/** The number of each character's glyph in the joined font. */
function glyphNumbers(parts: readonly Part[]): Map<number, number> {
  const glyphs = new Map<number, number>();
  for (const { face, font, firstGlyph } of parts) {
    for (const character of face.collectUnicodes()) {
      glyphs.set(character, firstGlyph + (font.nominalGlyph(character) ?? 0));
    }
  }
  return glyphs;
}

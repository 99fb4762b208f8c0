/** Tables of TrueType fonts, as the OpenType specification defines them. */
import { Blob, Face, Font } from 'harfbuzzjs';

/** A table of a font. Throws if the font has none of this name. */
export function table(face: Face, tag: string): Buffer {
  const data = face.referenceTable(tag);
  if (!data) throw new Error(`The font has no table ${tag}.`);
  return Buffer.from(data);
}

/** The font with more characters, each drawn with the glyph of another one, as in `{ '‑': '-' }`. */
export function addCharacters(font: Uint8Array, added: Readonly<Record<string, string>>): Buffer {
  const face = new Face(new Blob(font));
  const reader = new Font(face);
  const glyph = (code: number) => reader.nominalGlyph(code) ?? 0;
  const glyphs = new Map([...face.collectUnicodes()].map((code) => [code, glyph(code)] as const));
  for (const [character, model] of Object.entries(added)) {
    glyphs.set(character.codePointAt(0) ?? 0, glyph(model.codePointAt(0) ?? 0));
  }
  const tables = tagsOf(font).map((tag) => [tag, table(face, tag)] as const);
  return writeFont({ ...Object.fromEntries(tables), cmap: writeCharacterMap(glyphs) });
}

/** The names of the tables in the font's directory. */
function tagsOf(font: Uint8Array): string[] {
  const data = Buffer.from(font);
  const count = data.readUInt16BE(4);
  return Array.from({ length: count }, (_, index) =>
    data.toString('latin1', 12 + index * 16, 16 + index * 16),
  );
}

/** A character map in format 12: one group per character. `glyphs` has the number of each character's glyph. */
export function writeCharacterMap(glyphs: ReadonlyMap<number, number>): Buffer {
  const sorted = [...glyphs].sort(([one], [other]) => one - other);
  const header = Buffer.alloc(28);
  header.writeUInt16BE(1, 2); // One table, for Windows with all of Unicode.
  header.writeUInt16BE(3, 4);
  header.writeUInt16BE(10, 6);
  header.writeUInt32BE(12, 8);
  header.writeUInt16BE(12, 12);
  header.writeUInt32BE(16 + sorted.length * 12, 16);
  header.writeUInt32BE(sorted.length, 24);
  const groups = sorted.map(([character, glyph]) =>
    Buffer.from(new Uint32Array([character, character, glyph]).buffer).swap32(),
  );
  return Buffer.concat([header, ...groups]);
}

/** A TrueType file. Checksums stay zero: the conversion to WOFF2 writes them. */
export function writeFont(tables: Record<string, Buffer>): Buffer {
  const entries = Object.entries(tables);
  const header = Buffer.alloc(12 + entries.length * 16);
  header.writeUInt32BE(0x00010000, 0);
  header.writeUInt16BE(entries.length, 4);
  const contents: Buffer[] = [];
  let offset = header.length;
  entries.forEach(([tag, data], index) => {
    const at = 12 + index * 16;
    header.write(tag, at, 'latin1');
    header.writeUInt32BE(offset, at + 8);
    header.writeUInt32BE(data.length, at + 12);
    const padded = Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)]);
    contents.push(padded);
    offset += padded.length;
  });
  return Buffer.concat([header, ...contents]);
}

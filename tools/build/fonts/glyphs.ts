/** Characters that a browser draws without a glyph of their own. */

/** Control characters, invisible characters, and spaces, whose width browsers derive from that of the space. */
export function hasNoGlyph(character: string): boolean {
  return /[\p{Cc}\p{Zs}\p{Default_Ignorable_Code_Point}]/u.test(character);
}

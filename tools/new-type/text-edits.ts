/** Replaces the first match. Throws when there is none. */
export function replaceOnce(
  text: string,
  pattern: RegExp,
  change: (match: string) => string,
  what: string,
): string {
  if (!pattern.test(text)) throw new Error(`The place for an addition was not found: ${what}.`);
  return text.replace(pattern, change);
}

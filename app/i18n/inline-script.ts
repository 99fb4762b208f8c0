/** JSON for an inline script, in which `<` is escaped, so that it cannot end the script element. */
export function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** A known problem. `{name}` in its texts stands for a value that is known when the problem is found. */
export type Problem = {
  /** A warning leaves the exit code at 0. */
  severity: 'failure' | 'warning';
  message: string;
  /** What to do: a variable, an AWS setting or a command. */
  fix: string;
};

/** The names of the placeholders in a text. */
export type PlaceholdersOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholdersOf<Rest>
  : never;

/** Returns the text with the values in place of the placeholders. */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}

/**
 * Reads docs/make-it-yours.md: each `##` section is a recipe, and its code blocks are the edits that it consists of.
 */

export type Edit =
  /** A fence with a path after the language: the whole file. `{locale}` in the path stands for every locale. */
  | { type: 'file'; path: string; text: string }
  /** A `diff` fence: `--- path`, then hunks separated by `@@`. */
  | { type: 'change'; path: string; hunks: readonly Hunk[] }
  /** A `text` fence: translations to remove from every locale, as `namespace:key`. */
  | { type: 'remove-translations'; keys: readonly string[] }
  /** A `sh` fence. */
  | { type: 'commands'; commands: string };

export type Hunk = { before: string; after: string };

/** The edits of the section with this title, in order. Throws when there is no such section or it has no edits. */
export function readRecipe(guide: string, title: string): Edit[] {
  const section = guide.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`The guide has no section '${title}'.`);
  const fences = [...section.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)];
  if (fences.length === 0) throw new Error(`The section '${title}' has no code.`);
  return fences.map(([, language = '', path = '', text = '']) => parseEdit(language, path, text));
}

function parseEdit(language: string, path: string, text: string): Edit {
  if (path !== '') return { type: 'file', path, text };
  if (language === 'sh') return { type: 'commands', commands: text };
  if (language === 'text') return { type: 'remove-translations', keys: text.trim().split('\n') };
  if (language === 'diff') return parseDiff(text);
  throw new Error(`A code block in ${language} names no file:\n${text}`);
}

function parseDiff(text: string): Edit {
  const [, path, body] = /^--- (\S+)\n([\s\S]*)$/.exec(text) ?? [];
  if (path === undefined || body === undefined) throw new Error(`A diff names no file:\n${text}`);
  return { type: 'change', path, hunks: body.split(/^@@\n/m).map(parseHunk) };
}

/** Lines start with a space, `-` or `+`, as in every diff. */
function parseHunk(text: string): Hunk {
  const lines = text.split('\n').slice(0, -1);
  const linesWithout = (sign: '-' | '+') =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  return { before: linesWithout('+'), after: linesWithout('-') };
}

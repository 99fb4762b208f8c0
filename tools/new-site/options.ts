/** What the command can be asked for, and whether it can be done with this site. */
import { parseArgs } from 'node:util';

/** The parts of the clone that the choices refer to. */
export type Clone = {
  languages: readonly { code: string; name: string }[];
  /** The pages that can be removed. */
  removablePages: readonly string[];
};

export type Options = {
  name: string;
  /** The languages that stay, in the order of the site. English is always among them. */
  languages: readonly string[];
  /** The pages that are removed. */
  without: readonly string[];
  /** `#rrggbb`. */
  color: string;
};

/** Options that were given as arguments. Those that are missing are asked for, unless `yes` is set. */
export type GivenOptions = Partial<Options> & { yes: boolean; help: boolean };

const MAX_NAME_LENGTH = 30;

/** Parses the arguments. Throws an error with a sentence for each one that cannot be done. */
export function parseOptions(args: readonly string[], clone: Clone): GivenOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      name: { type: 'string' },
      languages: { type: 'string' },
      without: { type: 'string' },
      color: { type: 'string' },
      yes: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { name, languages, without, color, yes, help } = values;
  if (help) return { yes, help };
  return {
    yes,
    help,
    ...(name === undefined ? {} : { name: checked(name.trim(), problemOfName) }),
    ...(languages === undefined ? {} : { languages: parseLanguages(listOf(languages), clone) }),
    ...(without === undefined ? {} : { without: parsePages(listOf(without), clone) }),
    ...(color === undefined ? {} : { color: checked(color.toLowerCase(), problemOfColor) }),
  };
}

/** A sentence about a value that cannot be used, or undefined. */
export type ProblemOf = (value: string) => string | undefined;

/** Names stand in texts, HTML, JSON and CSS, so they have no characters with a meaning there. */
export const problemOfName: ProblemOf = (name) => {
  if (name === '') return 'The site needs a name.';
  if (name.length > MAX_NAME_LENGTH) return `A name may have ${MAX_NAME_LENGTH} characters.`;
  if (!/^[\p{L}\p{N}][\p{L}\p{N}\p{M} .&’-]*$/u.test(name))
    return 'A name begins with a letter or digit, and has letters, digits, spaces and . & ’ - after it.';
  return undefined;
};

export const problemOfColor: ProblemOf = (color) =>
  /^#[0-9a-f]{6}$/i.test(color) ? undefined : `${color} is no color. Write it as #rrggbb, such as #0f766e.`;

/** Returns the languages in the order of the site, with English. Throws for one that the site does not have. */
function parseLanguages(codes: readonly string[], { languages }: Clone): string[] {
  for (const code of codes) {
    if (languages.some((language) => language.code === code)) continue;
    const known = languages.map((language) => language.code).join(', ');
    throw new Error(
      isLanguageTag(code)
        ? `The site has no texts in ${code}. It has ${known}. The guide says how to add a language.`
        : `${code} is not a language tag (BCP 47). The site has ${known}.`,
    );
  }
  const kept = languages.map(({ code }) => code).filter((code) => code === 'en' || codes.includes(code));
  if (kept.length < 2)
    throw new Error('Keep one language beside English: the site and its tests compare two.');
  return kept;
}

function isLanguageTag(code: string): boolean {
  try {
    return Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}

function parsePages(names: readonly string[], { removablePages }: Clone): string[] {
  const unknown = names.find((name) => !removablePages.includes(name));
  if (unknown !== undefined)
    throw new Error(`There is no page ${unknown} to remove. These can go: ${removablePages.join(', ')}.`);
  return removablePages.filter((name) => names.includes(name));
}

function checked(value: string, problemOf: ProblemOf): string {
  const problem = problemOf(value);
  if (problem !== undefined) throw new Error(problem);
  return value;
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

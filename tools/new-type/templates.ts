/** The templates: code for a type `Thing`, with slots and conditions. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { camelCase, kebabCase, type RecordType } from './record-type.ts';

const FOLDER = join(import.meta.dirname, 'templates');

/**
 * The text of a template for this type: without the parts between `//if name` and `//end` whose condition does not hold, with
 * its names in place of those of `Thing`, and with the slots `«name»` filled.
 */
export function fillTemplate(
  file: string,
  { name, plural, isOwned, group, lifetimeSeconds }: RecordType,
  slots: Readonly<Record<string, string>>,
): string {
  const conditions: Record<string, boolean> = {
    owner: isOwned,
    group: group !== null,
    expires: lifetimeSeconds > 0,
    account: existsSync('app/pages/account'),
  };
  const words: Record<string, string> = {
    'things-page': kebabCase(plural),
    'thing-page': kebabCase(name),
    THINGS: kebabCase(plural, '_').toUpperCase(),
    THING: kebabCase(name, '_').toUpperCase(),
    Things: plural,
    Thing: name,
    things: camelCase(plural),
    thing: camelCase(name),
  };
  const phrases = { ...slots, thing: kebabCase(name, ' '), things: kebabCase(plural, ' ') };
  const fill = (text: string) =>
    text.replace(/«(\w+)»/g, (_slot, slot: string) => {
      const filling = Object.entries(phrases).find(([key]) => key === slot)?.[1];
      if (filling === undefined) throw new Error(`${file} has an unknown slot: ${slot}.`);
      return slot in slots ? named(filling) : filling;
    });
  const named = (text: string) =>
    text.replace(/things?-page|THINGS?|Things?|(?<!«)things?(?!»)/g, (word) => words[word] ?? word);
  const text = readTemplate(file).replace(
    /^\/\/if (!?)(\w+)\n([\s\S]*?)^\/\/end\n/gm,
    (_all, not: string, condition: string, part: string) =>
      conditions[condition] === (not === '') ? part : '',
  );
  return fill(named(text));
}

function readTemplate(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}

/** The names in the templates, without comments. A type that has one of them would not compile. */
export function namesInTemplates(): Set<string> {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.txt'),
  );
  const code = files.map((file) =>
    readTemplate(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|"[^"\n]*"/g, ''),
  );
  return new Set(code.join('\n').match(/\b[A-Za-z]\w*\b(?!:)/g) ?? []);
}

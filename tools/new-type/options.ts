/** What the command can be asked for, and whether it can be done with this site. */
import { parseArgs } from 'node:util';
import {
  camelCase,
  type Field,
  type KindName,
  kebabCase,
  kindNames,
  type RecordType,
} from './record-type.ts';

/** The parts of the site that the names refer to. */
export type Site = { types: readonly string[]; pages: readonly string[]; groups: readonly string[] };

export const help = `npm run new-type -- Item title:string price:int? --owner

  Item             the name of the type, in the singular and with a capital
  title:string     a field: string, int, float, boolean or datetime; with ? it may be empty
  --owner          only the member who has added one changes and deletes it; all members read it
  --group GROUP    members of this group change and delete those of others too; needs --owner
  --expires 30d    each is gone after this time: days (d) or hours (h)
  --plural NAME    the plural, such as --plural People; by default with an s
`;

const reservedByGraphql =
  'query mutation subscription fragment type input enum interface union scalar schema directive extend implements on id string int float boolean';
const reservedByJavaScript =
  'abstract any arguments async await break case catch class const continue debugger default delete do else enum eval export extends false finally for from function if implements import in instanceof interface let new null of package private protected public return static super switch this throw true try typeof undefined var void while with yield';
const reserved = new Set(`${reservedByGraphql} ${reservedByJavaScript}`.split(' '));
const ownFields = [
  'id',
  'feed',
  'author',
  'mine',
  'createdAt',
  'updatedAt',
  'expiresAt',
  'intent',
  'canChange',
  'thing',
  'things',
];
const MAX_FIELDS = 20;
const MAX_DAYS = 1825;

/** Parses the arguments. Throws an error with one sentence for what cannot be done. `used` are the names in the written code. */
export function parseType(
  args: readonly string[],
  site: Site,
  used: ReadonlySet<string>,
): RecordType | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      owner: { type: 'boolean', default: false },
      group: { type: 'string' },
      expires: { type: 'string' },
      plural: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const [name = '', ...given] = positionals;
  if (name === '') throw new Error('Name the type and its fields, such as: Item title:string price:int?');
  const plural = values.plural ?? pluralOf(name);
  checkFree({ name, plural }, site);
  checkTypeName(name, used);
  checkTypeName(plural, new Set());
  if (plural === name) throw new Error(`${plural} is the singular too. Name another plural with --plural.`);
  return {
    name,
    plural,
    fields: parseFields(given),
    isOwned: values.owner,
    group: values.group === undefined ? null : parseGroup(values.group, values.owner, site),
    lifetimeSeconds: values.expires === undefined ? 0 : parseLifetime(values.expires),
  };
}

function pluralOf(name: string): string {
  if (/[^aeiou]y$/.test(name)) return name.replace(/y$/, 'ies');
  return /(?:s|x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}

function checkTypeName(name: string, used: ReadonlySet<string>): void {
  if (!/^[A-Z][A-Za-z0-9]{1,39}$/.test(name)) {
    throw new Error(`${name} cannot be a type: it needs a capital first, and 2 to 40 letters and digits.`);
  }
  const camel = camelCase(name);
  if (reserved.has(camel.toLowerCase()) || name.startsWith('AWS') || used.has(name) || used.has(camel)) {
    throw new Error(`${name} cannot be a type: the name has another meaning in GraphQL or in the code.`);
  }
}

/** Throws when the site has one of the types or pages that the command would write. */
function checkFree({ name, plural }: Pick<RecordType, 'name' | 'plural'>, { types, pages }: Site): void {
  const type = [name, `${name}Page`, `Create${name}Input`, `Update${name}Input`].find((each) =>
    types.includes(each),
  );
  if (type !== undefined) throw new Error(`There is a type ${type} already.`);
  const page = [kebabCase(name), kebabCase(plural)].find((each) => pages.includes(each));
  if (page !== undefined) throw new Error(`There is a page ${page} already.`);
}

function parseFields(given: readonly string[]): Field[] {
  if (given.length === 0) throw new Error('Name at least one field, such as title:string.');
  if (given.length > MAX_FIELDS) throw new Error(`A type may have ${MAX_FIELDS} fields.`);
  const fields = given.map(parseField);
  const names = fields.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`The field ${twice} is named twice.`);
  return fields;
}

function parseField(text: string): Field {
  const [, name = '', kind = '', optional] = /^([^:]*):([^:?]*)(\?)?$/.exec(text) ?? [];
  if (name === '') throw new Error(`${text} is no field. Write it as name:kind, such as title:string.`);
  if (!/^[a-z][A-Za-z0-9]{0,39}$/.test(name)) {
    throw new Error(
      `${name} cannot be a field: it needs a small letter first, and at most 40 letters and digits.`,
    );
  }
  if (ownFields.includes(name))
    throw new Error(`${name} cannot be a field: the site gives every type its own.`);
  if (reserved.has(name.toLowerCase()) || name in {}) {
    throw new Error(`${name} cannot be a field: the name has another meaning in GraphQL or in the code.`);
  }
  if (!isKind(kind)) {
    throw new Error(`${name} has an unknown kind '${kind}'. There are ${kindNames.join(', ')}.`);
  }
  return { name, kind, isOptional: optional !== undefined };
}

function isKind(kind: string): kind is KindName {
  return kindNames.some((name) => name === kind);
}

function parseGroup(group: string, isOwned: boolean, { groups }: Site): string {
  if (!groups.includes(group))
    throw new Error(`There is no group '${group}'. The site has ${groups.join(', ')}.`);
  if (!isOwned) throw new Error('--group needs --owner: without it every member changes those of others.');
  return group;
}

function parseLifetime(text: string): number {
  const [, count = '', unit] = /^([1-9]\d{0,4})([dh])$/.exec(text) ?? [];
  const hours = Number(count) * (unit === 'd' ? 24 : 1);
  if (count === '' || hours > MAX_DAYS * 24) {
    throw new Error(`--expires ${text} is no time of 1h to ${MAX_DAYS}d, such as 30d or 12h.`);
  }
  return hours * 60 * 60;
}

/** The files that a type adds and changes, as texts: nothing is written here. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fieldSlots } from './fields.ts';
import { camelCase, kebabCase, type RecordType, type RootField } from './record-type.ts';
import { addPermissions, addResolvers, addTimeToLive } from './template-yaml.ts';
import { fillTemplate } from './templates.ts';
import { replaceOnce } from './text-edits.ts';

type Texts = { [key: string]: string | Texts };
/** The new text of each file, by its path. */
export type Changes = Map<string, string>;

/** A site without account page does not have it. */
const OWN_RECORDS = 'app/pages/account/own-records.server.ts';
const LOCALES = 'public/locales';
const NOT_TRANSLATED = 'tests/fixtures/not-translated.txt';
const SAME_AS_ENGLISH = 'tests/fixtures/same-as-english.json';

/** Throws when a file exists already, or when a file of the site does not have the place for an addition. */
export function changesFor(type: RecordType): Changes {
  const changes: Changes = new Map();
  const page = kebabCase(type.plural);
  const one = kebabCase(type.name);
  const slots = slotsOf(type);
  const add = (path: string, template: string) => {
    if (existsSync(path)) throw new Error(`There is a file ${path} already.`);
    changes.set(path, fillTemplate(template, type, slots));
  };
  for (const [file, template] of [
    [`${page}.tsx`, 'things.tsx'],
    [`${one}-calls.server.ts`, 'calls.server.ts'],
    [`${one}-list.tsx`, 'list.tsx'],
    [`${one}-view.tsx`, 'view.tsx'],
    [`${one}-fields.tsx`, 'fields.tsx'],
  ])
    add(`app/pages/${page}/${file}`, `page/${template}.txt`);
  add(`app/graphql/${page}.graphql`, 'things.graphql.txt');
  add(`infra/resolvers/${page}.js`, 'resolvers/type.js.txt');
  const fields = rootFieldsOf(type);
  for (const { root, field, template } of fields)
    add(`infra/resolvers/${root}.${field}.js`, `resolvers/${template}.js.txt`);
  add(`tests/routes/pages/${page}/${page}.test.ts`, 'tests/things.test.ts.txt');
  add(`tests/e2e/pages/${page}/${page}.spec.ts`, 'tests/things.spec.ts.txt');
  // The types share these.
  for (const [path, template] of [
    ['infra/resolvers/records.js', 'shared/records.js.txt'],
    ['app/forms/record-form.server.ts', 'shared/record-form.server.ts.txt'],
  ] as const)
    if (!existsSync(path)) add(path, template);

  const edit = (path: string, change: (text: string) => string) =>
    changes.set(path, change(changes.get(path) ?? read(path)));
  edit('schema.graphql', (text) => addToSchema(text, fillTemplate('schema.graphql.txt', type, slots)));
  edit('app/pages.ts', (text) => addPages(text, page, one));
  edit('infra/template.yaml', (text) => {
    const blocks = fields.map(({ root, field }) =>
      fillTemplate('resolver.yaml.txt', type, {
        root,
        field,
        resource: `${field.charAt(0).toUpperCase()}${field.slice(1)}Resolver`,
      }),
    );
    const permitted = addPermissions(addResolvers(text, blocks.join('')), fields);
    return type.lifetimeSeconds > 0 ? addTimeToLive(permitted) : permitted;
  });
  if (existsSync(OWN_RECORDS)) edit(OWN_RECORDS, (text) => addToExport(text, type, page));
  addTexts(type, edit, changes);
  return changes;
}

function rootFieldsOf({ name, plural, group }: RecordType): RootField[] {
  const field = (template: string, forGroup: string | null = null) => {
    const [root = '', pattern = ''] = template.split('.');
    return {
      root,
      field: pattern.replace('Things', plural).replace('Thing', name),
      template,
      group: forGroup,
    };
  };
  return [
    field('Query.getThing'),
    field('Query.listThings'),
    field('Mutation.createThing'),
    field('Mutation.updateThing'),
    field('Mutation.deleteThing'),
    ...(group === null
      ? []
      : [field('Mutation.updateAnyThing', group), field('Mutation.deleteAnyThing', group)]),
  ];
}

function slotsOf(type: RecordType): Record<string, string> {
  return {
    ...fieldSlots(type),
    isOwned: String(type.isOwned),
    lifetimeSeconds: String(type.lifetimeSeconds),
    group: type.group ?? '',
    ofCaller: type.isOwned ? ' of the caller' : '',
    canChange: !type.isOwned
      ? 'true'
      : type.group === null
        ? 'thing.mine'
        : 'thing.mine || mayChangeAll(args)',
  };
}

function addToSchema(schema: string, parts: string): string {
  const [, queries = '', mutations = '', types = ''] = parts.split(/^\/\/part \w+\n/m);
  const added = replaceOnce(
    replaceOnce(schema, /^type Query \{\n[^}]*/m, (block) => block + queries, 'type Query in schema.graphql'),
    /^type Mutation \{\n[^}]*/m,
    (block) => block + mutations,
    'type Mutation in schema.graphql',
  );
  return /^schema \{/m.test(added) ? added.replace(/\n(?=schema \{)/, () => `${types}\n`) : added + types;
}

function addPages(text: string, page: string, one: string): string {
  const entry = (name: string, slug: string) =>
    `  { name: '${name}', slug: '${slug}', namespace: '${page}', middleware: ['signed-in'] },\n`;
  const lines = entry(page, page) + entry(one, `${page}/:id`);
  return replaceOnce(
    text,
    /(?=^(?: {2}\{.*linkedFrom: 'footer'.*\n)*\] as const satisfies)/m,
    () => lines,
    'the list in app/pages.ts',
  );
}

/** The account's export has what the member has added. */
function addToExport(text: string, type: RecordType, page: string): string {
  const list = `LIST_${kebabCase(type.plural, '_').toUpperCase()}`;
  return replaceOnce(
    replaceOnce(
      text,
      /(?=^import \{ requireSession)/m,
      () => `import { ${list} } from '../../graphql/${page}.graphql.generated.ts';\n`,
      `the imports in ${OWN_RECORDS}`,
    ),
    /^const lists: .* = \{\n?(?: .*\n)*/m,
    (lists) => `${lists.trimEnd()}\n  ${camelCase(type.plural)}: ${list},\n`,
    `lists in ${OWN_RECORDS}`,
  );
}

/** The texts that all types have are translated. Those of this type are in English, and noted as not translated. */
function addTexts(
  type: RecordType,
  edit: (path: string, change: (text: string) => string) => void,
  changes: Changes,
): void {
  const page = kebabCase(type.plural);
  const translated: Record<string, Texts> = JSON.parse(read(`${import.meta.dirname}/texts.json`));
  const languages = readdirSync(LOCALES);
  const used = usedTexts(type);
  const own = englishTexts(type);
  const same: [language: string, key: string][] = [];
  for (const language of languages) {
    const file = `${LOCALES}/${language}/${page}.json`;
    if (existsSync(file)) throw new Error(`There is a file ${file} already.`);
    const shared = used(translated[language] ?? translated.en ?? {});
    changes.set(file, json({ ...own, ...shared }));
    edit(`${LOCALES}/${language}/common.json`, (text) => {
      const common: { nav: { pages: Texts } } = JSON.parse(text);
      common.nav.pages[page] = phrase(type.plural);
      return json(common);
    });
    if (language === 'en' || !translated[language]) continue;
    for (const [key, value] of Object.entries(shared)) {
      if (value === translated.en?.[key]) same.push([language, `${page}:${key}`]);
    }
  }
  const isComplete = languages.every((language) => translated[language]);
  const noted = isComplete ? Object.keys(own).map((key) => `${page}:${key}`) : [page];
  edit(NOT_TRANSLATED, (text) => `${text + [...noted, `common:nav.pages.${page}`].join('\n')}\n`);
  if (same.length === 0) return;
  edit(SAME_AS_ENGLISH, (text) => {
    const exceptions: Record<string, string[]> = JSON.parse(text);
    for (const [language, key] of same) exceptions[language] = [...(exceptions[language] ?? []), key];
    return json(exceptions);
  });
}

/** Returns the function that leaves out the texts of kinds that no field has. */
function usedTexts({ fields }: RecordType): (texts: Texts) => Texts {
  const has = (kind: string) => fields.some((field) => field.kind === kind);
  const hasHint = fields.some(({ kind, isOptional }) => isOptional && kind !== 'boolean');
  const isUsed = (key: string) =>
    key === 'optional' ? hasHint : key === 'yes' || key === 'no' ? has('boolean') : true;
  return (texts) =>
    Object.fromEntries(
      Object.entries(texts)
        .filter(([key]) => isUsed(key))
        .map(([key, value]) =>
          typeof value === 'string'
            ? [key, value]
            : [key, Object.fromEntries(Object.entries(value).filter(([kind]) => has(kind)))],
        )
        .filter(([, value]) => typeof value === 'string' || Object.keys(value ?? {}).length > 0),
    );
}

function englishTexts({ plural, fields }: RecordType): Texts {
  const label = ({ name, kind }: RecordType['fields'][number]) =>
    phrase(name) + (kind === 'datetime' ? ' (UTC)' : '');
  return {
    title: phrase(plural),
    description: `${phrase(plural)} that members have added.`,
    fields: Object.fromEntries(fields.map((field) => [field.name, label(field)])),
  };
}

/** `Blog post` for `BlogPost` and `blogPost`. */
function phrase(name: string): string {
  const words = kebabCase(camelCase(name), ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

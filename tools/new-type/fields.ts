/** What each kind of field is in the schema, the forms and the tests. */
import type { Field, KindName, RecordType } from './record-type.ts';

type Kind = {
  type: string;
  /** The export of `record-form.server.ts` that reads it. */
  schema: string;
  /** The attributes of its control. */
  input: string;
  /** Two values of tests, and what the page shows for the second one in English. */
  samples: readonly [string, string];
  shown: string;
};

const kinds = {
  string: {
    type: 'String',
    schema: 'textField',
    input: '',
    samples: ["'First'", "'Second'"],
    shown: "'Second'",
  },
  int: {
    type: 'Int',
    schema: 'integerField',
    input: 'type="number" step="1"',
    samples: ['7', '12'],
    shown: "'12'",
  },
  float: {
    type: 'Float',
    schema: 'numberField',
    input: 'type="number" step="any"',
    samples: ['1.5', '2.5'],
    shown: "'2.5'",
  },
  boolean: {
    type: 'Boolean',
    schema: 'checkboxField',
    input: '',
    samples: ['false', 'true'],
    shown: "'Yes'",
  },
  datetime: {
    type: 'AWSDateTime',
    schema: 'dateTimeField',
    input: 'type="datetime-local"',
    samples: ["'2026-11-28T09:30:00.000Z'", "'2027-01-02T18:00:00.000Z'"],
    shown: '/2027/',
  },
} as const satisfies Record<KindName, Kind>;

/** The parts of the templates that depend on the fields, by the names of their slots. */
export function fieldSlots({ fields }: Pick<RecordType, 'fields'>): Record<string, string> {
  const title = fields.find(({ kind, isOptional }) => kind === 'string' && !isOptional);
  const lines = (line: (field: Field) => string) => fields.map(line).join('\n');
  const has = (kind: Field['kind']) => fields.some((field) => field.kind === kind);
  const hasNumbers = has('int') || has('float');
  const schemas = [
    'callDataApi',
    ...fields.map(({ kind }) => kinds[kind].schema),
    ...(fields.some(isEmptiable) ? ['optional'] : []),
  ];
  const time = "{absoluteTime(Date.parse(thing.createdAt), iso, 'UTC')}";
  return {
    fieldNames: lines(({ name }) => name),
    required: fields.flatMap(({ name, isOptional }) => (isOptional ? [] : [`'${name}'`])).join(', '),
    createFields: lines(
      ({ name, kind, isOptional }) => `  ${name}: ${kinds[kind].type}${isOptional ? '' : '!'}`,
    ).trim(),
    updateFields: lines(({ name, kind }) => `  ${name}: ${kinds[kind].type}`).trim(),
    schemaImports: [...new Set(schemas)].join(', '),
    schemaFields: lines(
      (field) =>
        `${field.name}: ${isEmptiable(field) ? `optional(${kinds[field.kind].schema})` : kinds[field.kind].schema},`,
    ),
    fieldImports: fields.every(({ kind }) => kind === 'boolean')
      ? ''
      : "import { controlClass, Field } from '../../components/ui/field.tsx';\n",
    controls: lines((field) => controlOf(field, field === title)),
    details: lines((field) => `<Detail label={t('fields.${field.name}')}>${detailOf(field)}</Detail>`),
    formValues: lines((field) => `${field.name}: ${formValueOf(field)},`),
    localeImports: hasNumbers ? 'useLocale, useNumberFormat' : 'useLocale',
    viewHooks: `${hasNumbers ? '  const number = useNumberFormat();\n' : ''}`,
    viewTitle: title
      ? `<span dir="auto" className="wrap-anywhere">{thing.${title.name}}</span>`
      : `<Time time={thing.createdAt} />`,
    headTitle: title ? `title: thing.${title.name}, ` : '',
    listTitle: title
      ? `<span dir="auto">{thing.${title.name}}</span>`
      : `<time dateTime={thing.createdAt} suppressHydrationWarning>${time}</time>`,
    listImports: title
      ? ''
      : "import { absoluteTime } from '../../i18n/formats.ts';\nimport { useLocale } from '../../i18n/use-locale.ts';\n",
    listLocale: title ? '' : '  const { iso } = useLocale();\n',
    ...testSlots(fields),
  };
}

/** Whether the form may leave the field empty. A checkbox is always checked or not. */
function isEmptiable({ kind, isOptional }: Field): boolean {
  return isOptional && kind !== 'boolean';
}

function controlOf(field: Field, isTitle: boolean): string {
  const { name, kind } = field;
  if (kind === 'boolean') {
    return `<label className="flex min-h-11 items-center gap-3 font-medium">
      <input type="checkbox" {...form.checkbox('${name}')} className="size-5" />
      <span>{t('fields.${name}')}</span>
    </label>`;
  }
  const attributes = `{...control} {...form.field('${name}')} className={controlClass}`;
  const control =
    kind === 'string' && !isTitle
      ? `<textarea ${attributes} rows={3} />`
      : `<input ${kinds[kind].input} ${attributes} />`;
  const hint = field.isOptional ? "hint={t('optional')}" : '';
  const error = `error={form.errorOf('${name}') ? t('invalid.${kind}') : null}`;
  return `<Field label={t('fields.${name}')} ${hint} ${error}>{(control) => ${control}}</Field>`;
}

function detailOf({ name, kind, isOptional }: Field): string {
  const value = `thing.${name}`;
  const shown = {
    string: value,
    int: `number(${value})`,
    float: `number(${value}, { max: 20 })`,
    boolean: `t(${value} ? 'yes' : 'no')`,
    datetime: `<Time time={${value}} />`,
  }[kind];
  if (!isOptional) return kind === 'datetime' ? shown : `{${shown}}`;
  return kind === 'string' ? `{${value} ?? '–'}` : `{${value} === null ? '–' : ${shown}}`;
}

function formValueOf({ name, kind, isOptional }: Field): string {
  const value = `thing.${name}`;
  if (kind === 'boolean') return `${value} ? 'on' : ''`;
  if (kind === 'string') return isOptional ? `${value} ?? ''` : value;
  const text = kind === 'datetime' ? `new Date(${value}).toISOString().slice(0, 16)` : `String(${value})`;
  return isOptional ? `${value} === null ? '' : ${text}` : text;
}

function testSlots(fields: readonly Field[]): Record<string, string> {
  const values = (index: 0 | 1) =>
    fields.map(({ name, kind }) => `${name}: ${kinds[kind].samples[index]}`).join(', ');
  const [optional] = fields.filter(({ isOptional }) => isOptional);
  const [required] = fields.filter(({ isOptional }) => !isOptional);
  const update = (name: string) => `await run(ada, UPDATE_THING, { input: { id, ${name}: null } })`;
  const fill = (index: 0 | 1) => fields.map((field) => `      ${fillOf(field, index)}`).join('\n');
  const [invalid] = fields.filter((field) => !isEmptiable(field) && field.kind !== 'boolean');
  return {
    firstValues: values(0),
    secondValues: values(1),
    nullTests: [
      optional
        ? `    expect((${update(optional.name)}).errors).toBeUndefined();\n    expect(await read(ada, id)).toMatchObject({ ...second, ${optional.name}: null });\n`
        : '',
      required ? `    expect((${update(required.name)}).errors).toEqual(invalid);\n` : '',
    ].join(''),
    fillInvalid: invalid
      ? `      await save.click();\n      await expect(${controlNamed(invalid)}).toHaveAccessibleDescription(t('things-page:invalid.${invalid.kind}'));\n`
      : '',
    fillFirst: fill(0),
    fillSecond: fill(1),
    secondShown: fields[0] ? kinds[fields[0].kind].shown : '',
  };
}

const controlNamed = ({ name }: Field) => `page.getByLabel(t('things-page:fields.${name}'), { exact: true })`;

function fillOf(field: Field, index: 0 | 1): string {
  const sample = kinds[field.kind].samples[index];
  if (field.kind === 'boolean') return `await ${controlNamed(field)}.setChecked(${sample});`;
  const text =
    field.kind === 'datetime' ? `${sample.slice(0, 17)}'` : field.kind === 'string' ? sample : `'${sample}'`;
  return `await ${controlNamed(field)}.fill(${text});`;
}

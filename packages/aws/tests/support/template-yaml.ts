/** Parses CloudFormation templates: YAML with tags such as `!Ref`, which are short for objects such as `{ Ref: … }`. */
import { type CollectionTag, parse, type ScalarTag, YAMLMap } from 'yaml';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type TemplateResource = {
  Type: string;
  Condition?: string;
  DependsOn?: Json;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  Properties: { readonly [name: string]: Json };
};

export type TemplateParameter = {
  Type: string;
  Default?: string | number;
  AllowedPattern?: string;
  AllowedValues?: readonly (string | number)[];
  ConstraintDescription?: string;
};

export type Template = {
  Parameters: Record<string, TemplateParameter>;
  Rules: Record<
    string,
    { RuleCondition: Json; Assertions: readonly { Assert: Json; AssertDescription: string }[] }
  >;
  Conditions: Record<string, Json>;
  Resources: Record<string, TemplateResource>;
  Outputs: Record<string, { Value: Json; Condition?: string }>;
};

const FUNCTIONS = [
  'Ref',
  'Condition',
  'Sub',
  'GetAtt',
  'If',
  'Not',
  'And',
  'Equals',
  'Join',
  'Split',
  'Select',
];

/** The template with the long form of every function. Throws when the text is not YAML or has an unknown tag. */
export function parseTemplate(text: string): Template {
  const template = parsed.get(text) ?? parseNew(text);
  parsed.set(text, template);
  return structuredClone(template);
}

/** Parsing takes a tenth of a second, and most tests parse the same template. */
const parsed = new Map<string, Template>();

function parseNew(text: string): Template {
  // CloudFormation reads YAML 1.1, in which OFF without quotes is false. The sections that the tests need are all present
  // in the template of this repository.
  return parse(text, {
    version: '1.1',
    customTags: FUNCTIONS.flatMap(tagsOf),
    logLevel: 'error',
  }) as Template;
}

/** `!Sub text`, `!If [a, b, c]` and their long forms. */
function tagsOf(name: string): (ScalarTag | CollectionTag)[] {
  const tag = `!${name}`;
  const key = name === 'Ref' || name === 'Condition' ? name : `Fn::${name}`;
  const scalar: ScalarTag = {
    tag,
    resolve: (text) => ({ [key]: name === 'GetAtt' ? text.split('.') : text }),
  };
  const sequence: CollectionTag = {
    tag,
    collection: 'seq',
    resolve(list) {
      const map = new YAMLMap<string, unknown>();
      map.set(key, list);
      return map;
    },
  };
  return [scalar, sequence];
}

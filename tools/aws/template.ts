/** `infra/template.yaml`: as it is written, and as CloudFormation gets it. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseSchema, print, visit as visitSchema } from 'graphql';
import {
  type CollectionTag,
  isScalar,
  parseDocument,
  Scalar,
  type ScalarTag,
  visit,
  type YAMLError,
  YAMLMap,
  YAMLParseError,
} from 'yaml';
import { bundleResolver } from '../build/resolver-bundle.ts';
import { CommandError } from './command.ts';

/** The folder of the templates, below the root of the repository, where npm starts the commands. */
export const INFRA = 'infra';

const TEMPLATE = 'template.yaml';

/** Bytes of a template that is sent with the request. Larger ones go through a bucket. */
export const MAX_BODY_BYTES = 51_200;

/** Bytes of a template in a bucket. */
const MAX_TEMPLATE_BYTES = 1_000_000;

/** Bytes of the code of one resolver. */
const MAX_CODE_BYTES = 32_768;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

type TemplateResource = {
  Type: string;
  Condition?: string;
  DependsOn?: string;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  Properties: { readonly [name: string]: Json };
};

export type Template = {
  Parameters: Record<string, { Type: string; Default: string | number; Description: string }>;
  Conditions: Record<string, Json>;
  Resources: Record<string, TemplateResource>;
  Outputs: Record<string, { Value: Json; Condition?: string }>;
};

/**
 * A template with the long form of every function, such as `{ Ref: 'Name' }`. Throws `CommandError`, with the line, when
 * the text is not YAML or has a tag that is no function.
 */
export function parseTemplate(text: string): Template {
  // CloudFormation reads YAML 1.1, in which OFF without quotes is false.
  const document = parseDocument(text, { version: '1.1', customTags: FUNCTIONS.flatMap(tagsOf) });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw problemOf(problem);
  return document.toJS() as Template;
}

function problemOf(error: YAMLError): CommandError {
  const [{ line, col } = { line: 1, col: 1 }] = error.linePos ?? [];
  const reason = error.message.replace(/ at line \d[\s\S]*/, '');
  const advice = error instanceof YAMLParseError ? ' Check the indentation there and above.' : '';
  return new CommandError(`${INFRA}/${TEMPLATE}:${line}:${col}: ${reason}.${advice}`);
}

/** The template of the repository, or this text of it. Throws `CommandError` also when a resource is not complete. */
export function readTemplate(text = readSource(TEMPLATE)): Template {
  const template = parseTemplate(text);
  requireParts(template, text);
  return template;
}

/** A wrong indentation may leave a part without content, which is valid YAML. */
function requireParts(template: Template, text: string): void {
  for (const part of ['Parameters', 'Conditions', 'Resources', 'Outputs'] as const) {
    if (!template[part]) throw new CommandError(`${INFRA}/${TEMPLATE} has no ${part}.`);
  }
  const incomplete = Object.entries(template.Resources).find(([, resource]) => !resource?.Properties)?.[0];
  if (incomplete === undefined) return;
  const line = text.split('\n').findIndex((each) => each.startsWith(`  ${incomplete}:`)) + 1;
  throw new CommandError(
    `${INFRA}/${TEMPLATE}:${line}: ${incomplete} has no Properties. Check the indentation there.`,
  );
}

/**
 * The template with the code of the resolvers and the schema in it, which CloudFormation cannot read from files. Comments
 * are left out, because they count toward the limits. Throws `CommandError` when a file is missing or too large.
 */
export function prepareTemplate(): string {
  const document = parseDocument(readSource(TEMPLATE).replace(/^ *#.*\n/gm, ''), {
    logLevel: 'error',
  });
  visit(document, {
    Pair(_key, { key, value }) {
      if (!isScalar(key) || !isScalar(value) || !/^(?:Code|Definition)S3Location$/.test(String(key.value)))
        return;
      const file = String(value.value);
      const isCode = key.value === 'CodeS3Location';
      value.value = isCode ? readCode(file) : readSchema(file);
      value.type = Scalar.BLOCK_LITERAL;
      key.value = isCode ? 'Code' : 'Definition';
    },
  });
  const prepared = document.toString({ indent: 1, lineWidth: 0 });
  const bytes = Buffer.byteLength(prepared);
  if (bytes <= MAX_TEMPLATE_BYTES) return prepared;
  throw new CommandError(
    `The template has ${bytes} bytes with its resolvers, and CloudFormation takes at most ${MAX_TEMPLATE_BYTES}.`,
  );
}

/** The name of an object for the template. Another template has another name. */
export function objectKey(stackName: string, template: string): string {
  return `${stackName}/${createHash('sha256').update(template).digest('hex')}.yaml`;
}

function readCode(file: string): string {
  const code = readFileOf(file, (path) => bundleResolver(path).code).replace(
    /^ *\/\*\*(?:[^*]|\*(?!\/))*\*\/\n|^ *\/\/.*\n|^ +|^\n/gm,
    '',
  );
  const bytes = Buffer.byteLength(code);
  if (bytes <= MAX_CODE_BYTES) return code;
  throw new CommandError(
    `The resolver ${file} has ${bytes} bytes, and AppSync takes at most ${MAX_CODE_BYTES}.`,
  );
}

/** The schema without comments and descriptions: deployments of schemas with descriptions are reported to fail. */
function readSchema(file: string): string {
  const withoutDescriptions = visitSchema(parseSchema(readSource(file)), {
    enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined),
  });
  return `${print(withoutDescriptions)}\n`;
}

/** The text of a file that the template names. */
export function readSource(file: string): string {
  return readFileOf(file, (path) => readFileSync(path, 'utf8').replaceAll('\r\n', '\n'));
}

function readFileOf(file: string, read: (path: string) => string): string {
  const path = join(INFRA, file);
  try {
    return read(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // Below its first line, esbuild names file, line and mistake.
    const mistakes = /^Build failed with .*\n([\s\S]+)/.exec(reason)?.[1];
    throw new CommandError(mistakes ?? `The file ${path} of the template cannot be read. ${reason}`);
  }
}

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

/** `!Sub text` and `!If [a, b, c]`, which are short for `{ Fn::Sub: text }` and `{ Fn::If: [a, b, c] }`. */
function tagsOf(name: string): (ScalarTag | CollectionTag)[] {
  const tag = `!${name}`;
  const key = name === 'Ref' || name === 'Condition' ? name : `Fn::${name}`;
  return [
    { tag, resolve: (text) => ({ [key]: name === 'GetAtt' ? text.split('.') : text }) },
    {
      tag,
      collection: 'seq',
      resolve(list) {
        const map = new YAMLMap<string, unknown>();
        map.set(key, list);
        return map;
      },
    },
  ];
}

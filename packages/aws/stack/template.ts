/** Prepares `infra/template.yaml` for CloudFormation, which cannot read local files. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, print, visit } from 'graphql';
import { parseDocument } from 'yaml';
import { CommandError } from '../command/command-error.ts';

/** The folder of the template. File names in the template are relative to it. */
const TEMPLATE_FOLDER = fileURLToPath(new URL('../../../infra', import.meta.url));

/** Bytes of a template that is sent with the request. Larger ones would have to come from S3. */
const MAX_TEMPLATE_BYTES = 51_200;

/** Bytes of the code of one resolver. */
const MAX_CODE_BYTES = 32_768;

/** Comments and indentation count toward the limits. Comments are not sent, and indentation is as small as YAML permits. */
const COMMENT = /^ *#.*\n/gm;
const CODE_COMMENT = /^ *\/\*\*(?:[^*]|\*(?!\/))*\*\/\n|^ *\/\/.*\n/gm;

const FUNCTION_CODE = /^( *)FunctionCode: \|\n((?:\1 .*\n|\n)+)/gm;

const LOCAL_FILE = /^( *)(Code|Definition)S3Location: (\S+)$/gm;

/**
 * The template with the code of the resolvers and the schema in it: each line `CodeS3Location: file` becomes `Code: |`
 * and the text of the file without its comments and indentation, `DefinitionS3Location` likewise. Throws `CommandError`
 * when a file is missing or the result exceeds a limit of CloudFormation or AppSync.
 */
export function prepareTemplate(folder: string = TEMPLATE_FOLDER): string {
  const template = readSource(folder, 'template.yaml')
    .replace(COMMENT, '')
    .replace(FUNCTION_CODE, (_lines, indent: string, code: string) =>
      block(indent, 'FunctionCode', shortenCode(code)),
    );
  const complete = template.replace(LOCAL_FILE, (_line, indent: string, property: string, file: string) => {
    const text = property === 'Code' ? readCode(folder, file) : stripSchema(readSource(folder, file), file);
    return block(indent, property, text).trimEnd();
  });
  const prepared = parseDocument(complete, { logLevel: 'error' }).toString({ indent: 1, lineWidth: 0 });
  const bytes = Buffer.byteLength(prepared);
  if (bytes > MAX_TEMPLATE_BYTES) {
    throw new CommandError(
      `The template has ${bytes} bytes with its resolvers, and CloudFormation takes at most ${MAX_TEMPLATE_BYTES}. Shorten the resolvers.`,
      2,
    );
  }
  return prepared;
}

/** A text of several lines as the value of a property. */
function block(indent: string, property: string, text: string): string {
  const lines = text.trimEnd().split('\n');
  return `${indent}${property}: |\n${lines.map((line) => (line ? `${indent}  ${line}\n` : '\n')).join('')}`;
}

function shortenCode(code: string): string {
  return code.replace(CODE_COMMENT, '').replace(/^ +|^\n/gm, '');
}

function readCode(folder: string, file: string): string {
  const code = shortenCode(readSource(folder, file));
  const bytes = Buffer.byteLength(code);
  if (bytes <= MAX_CODE_BYTES) return code;
  throw new CommandError(
    `The resolver ${file} has ${bytes} bytes, and AppSync takes at most ${MAX_CODE_BYTES}.`,
    2,
  );
}

/** The schema without comments and descriptions: deployments of schemas with descriptions are reported to fail. */
function stripSchema(text: string, file: string): string {
  try {
    const withoutDescriptions = visit(parse(text), {
      enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined),
    });
    return print(withoutDescriptions);
  } catch (error) {
    throw new CommandError(`The schema ${file} is not valid GraphQL: ${String(error)}`, 2);
  }
}

function readSource(folder: string, file: string): string {
  const path = resolve(folder, file);
  try {
    return readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  } catch {
    throw new CommandError(`The file ${path} of the template cannot be read.`, 2);
  }
}

/**
 * Writes a `{name}.graphql.generated.ts` beside every `.graphql` file below `app/`: its operations, with the types of
 * what goes in and what comes out, from `schema.graphql`. Run `npm run graphql:types` after changing either; a test
 * fails while what is written is not what would be.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { codegen } from '@graphql-codegen/core';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { parse } from 'graphql';
import type { ShippedOperation } from '../app/server/data-api/operation.ts';
import { parseOperations } from '../app/server/graphql-proxy/trusted-documents.ts';

const root = new URL('..', import.meta.url);
const app = new URL('app/', root);

/** What AppSync knows without being told, as far as the schema uses it. */
const appsyncDefinitions = `
  scalar AWSDateTime
  directive @aws_iam on FIELD_DEFINITION | OBJECT
  directive @aws_cognito_user_pools on FIELD_DEFINITION | OBJECT
`;

export type GeneratedFile = { path: URL; text: string };

/** Every file that `npm run graphql:types` writes. Rejects for an operation that the schema does not allow. */
export async function generateFiles(): Promise<GeneratedFile[]> {
  const schema = await readFile(new URL('schema.graphql', root), 'utf8');
  const entries = await readdir(app, { recursive: true });
  const names = entries.filter((name) => name.endsWith('.graphql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const source = await readFile(new URL(name, app), 'utf8');
      return { path: new URL(`${name}.generated.ts`, app), text: await generateFile(name, source, schema) };
    }),
  );
}

async function generateFile(location: string, source: string, schema: string): Promise<string> {
  const types = await codegen({
    filename: `${location}.generated.ts`,
    schema: parse(appsyncDefinitions + schema),
    documents: [{ location, document: parse(source) }],
    plugins: [{ typescriptOperations: {} }],
    pluginMap: { typescriptOperations },
    config: {
      scalars: { AWSDateTime: 'string', ID: 'string' },
      skipTypename: true,
      immutableTypes: true,
      omitOperationSuffix: true,
    },
  });
  return [
    '// Written by `npm run graphql:types`.',
    "import type { ShippedOperation } from '~/server/data-api/operation.ts';\n",
    types.trim(),
    ...parseOperations(source).map(declare),
    '',
  ].join('\n');
}

function declare({ operationName, kind, query }: ShippedOperation): string {
  const name = operationName.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();
  const type = `ShippedOperation<${operationName}, ${operationName}Variables>`;
  return `\nexport const ${name}: ${type} = ${JSON.stringify({ operationName, kind, query }, null, 2)};`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, text } of await generateFiles()) {
    await writeFile(path, text);
    console.log(fileURLToPath(path));
  }
}

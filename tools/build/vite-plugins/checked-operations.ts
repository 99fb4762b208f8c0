/** A Vite plugin that validates the site's GraphQL operations against the schema, and writes their types. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { GraphQLError, type GraphQLSchema, parse, Source, validate } from 'graphql';
import type { Plugin } from 'vite';
import { parseOperations } from '../../../packages/appsync-proxy/src/proxy/trusted-documents.ts';
import { buildSiteSchema, SCHEMA } from '../site-schema.ts';
import { writeOperationTypes } from '../write-generated-files.ts';

/**
 * Fails the build, and the start of the development server, with one line for each problem of the schema or of a `.graphql`
 * file in `directory`: path, line, column and message. After a change in development, the lines are errors in the terminal.
 */
export function checkedOperations(directory: string): Plugin {
  return {
    name: 'tenfold:checked-operations',
    async config() {
      const problems = findOperationProblems(directory);
      if (problems.length > 0) throw new Error(`\n${problems.join('\n')}`);
      await writeOperationTypes();
    },
    async hotUpdate({ file: path, server: { config } }) {
      const file = relative(config.root, path).split(sep).join('/');
      const isOperation = file.startsWith(`${directory}/`) && file.endsWith('.graphql');
      if (this.environment.name !== 'ssr' || !(isOperation || file === SCHEMA)) return;
      const problems = findOperationProblems(directory);
      for (const problem of problems) config.logger.error(problem);
      if (problems.length > 0) return;
      for (const written of await writeOperationTypes()) config.logger.info(`written ${written}`);
    },
  };
}

function findOperationProblems(directory: string): string[] {
  const { schema, errors } = buildSiteSchema();
  if (!schema) return errors.map((error) => describe(error, SCHEMA));
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.graphql')).map((name) => join(directory, name));
  return files.sort().flatMap((file) => findErrors(file, schema).map((error) => describe(error, file)));
}

function findErrors(file: string, schema: GraphQLSchema): readonly GraphQLError[] {
  try {
    const source = new Source(readFileSync(file, 'utf8'), file);
    const errors = validate(schema, parse(source));
    parseOperations(source);
    return errors;
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

function describe({ message, locations }: GraphQLError, file: string): string {
  const { line, column } = locations?.[0] ?? { line: 1, column: 1 };
  return `${file}:${line}:${column}: ${message}`;
}

import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { compileFunction, createContext } from 'node:vm';
import { unsupported } from '../infra/infra.ts';
import type { ResolverCode } from '../infra/infra-source.ts';
import type { ResolverContext } from './resolver-context.ts';
import type { ResolverLibrary } from './resolver-library.ts';
import { unsupportedUses } from './unsupported.ts';

/**
 * A unit resolver or a function of a pipeline: `request` returns the request to the data source, `response` the result. A
 * pipeline resolver has no data source.
 */
export type ResolverFunctions = {
  request(context: ResolverContext): unknown;
  response(context: ResolverContext): unknown;
};

/** Evaluates a resolver for one call, as AppSync does. */
export type ResolverFile = (library: ResolverLibrary) => ResolverFunctions;

const IMPORT = /^import \{([^}]*)\} from (['"])@aws-appsync\/utils\2;$/gm;
const EXPORTED_FUNCTION = /^export (?=function (?:request|response)\()/gm;
/** How esbuild exports the functions. */
const EXPORT_LIST = /^export \{\s*request,\s*response\s*\};$/m;

/**
 * Compiles a resolver that is written for APPSYNC_JS, and bundled with the modules that it imports. It runs in a context of its own, where
 * only `util`, `runtime` and the language itself exist, as in AppSync. Throws `StartError` with files and lines, or an
 * error of syntax.
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-reference-overview-js.html
 */
export function compileResolver({ path, code, files }: ResolverCode): ResolverFile {
  const problems = files.flatMap((file) =>
    unsupportedUses(readFileSync(file, 'utf8'), relative('', resolve(file))),
  );
  if (problems.length > 0) throw unsupported(problems);
  if ((code.match(EXPORTED_FUNCTION)?.length ?? 0) !== 2 && !EXPORT_LIST.test(code)) {
    throw new Error(`${path} must export the functions request and response.`);
  }
  // The replacements keep the line numbers.
  const script = code
    .replace(IMPORT, (_, names: string) => `const {${names.replaceAll(' as ', ': ')}} = library;`)
    .replace(EXPORTED_FUNCTION, '')
    .replace(EXPORT_LIST, '');
  const evaluate = compileFunction(`'use strict'; ${script}\nreturn { request, response };`, ['library'], {
    filename: path,
    parsingContext: createContext({}),
  });
  // The checks above ensure that the script declares the two functions.
  return (library) => evaluate(library) as ResolverFunctions;
}

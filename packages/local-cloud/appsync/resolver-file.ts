import { compileFunction, createContext } from 'node:vm';
import type { ResolverContext } from './resolver-context.ts';
import { type ResolverUtil, resolverRuntime } from './resolver-util.ts';

/**
 * A unit resolver or a function of a pipeline: `request` returns the request to the data source, `response` the result. A
 * pipeline resolver has no data source.
 */
export type ResolverFile = {
  request(context: ResolverContext): unknown;
  response(context: ResolverContext): unknown;
};

const IMPORT = /^import \{ (?:runtime, )?util \} from '@aws-appsync\/utils';$/m;
const EXPORTED_FUNCTION = /^export function (?=(?:request|response)\()/gm;

/**
 * Compiles a resolver that is written for APPSYNC_JS. It runs in a context of its own, where only `util`, `runtime`
 * and the language itself exist, as in AppSync. Throws when the file has another import, or does not export the functions
 * `request` and `response`.
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-reference-overview-js.html
 */
export function compileResolver(source: string, filename: string, util: ResolverUtil): ResolverFile {
  // Both replacements keep the line numbers.
  const script = source.replace(IMPORT, '').replace(EXPORTED_FUNCTION, 'function ');
  if (/^(?:import|export) /m.test(script)) {
    throw new Error(
      `${filename} may import only runtime and util, and export only the functions request and response.`,
    );
  }
  if (source.match(EXPORTED_FUNCTION)?.length !== 2) {
    throw new Error(`${filename} must export the functions request and response.`);
  }
  const load = compileFunction(
    `'use strict'; ${script}\nreturn { request, response };`,
    ['util', 'runtime'],
    {
      filename,
      parsingContext: createContext({}),
    },
  );
  // The checks above ensure that the script declares the two functions.
  return load(util, resolverRuntime) as ResolverFile;
}

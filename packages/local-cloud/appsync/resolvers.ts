import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { messagesTable } from '../dynamodb/messages-table.ts';
import type { Clock } from '../http/exchange.ts';
import type { Caller, Resolver, Resolvers } from './api-schema.ts';
import type { DataSource } from './dynamodb-data-source.ts';
import type { FieldInfo, ResolverContext } from './resolver-context.ts';
import { compileResolver, type ResolverFile } from './resolver-file.ts';
import { createResolverUtil, EarlyReturn } from './resolver-util.ts';

/** The folder of the files, which are also deployed to AppSync. */
const FOLDER = fileURLToPath(new URL('../../../infra/resolvers/', import.meta.url));

/** `{Type}.{field}.js` is a resolver, and `{Type}.{field}.{number}.js` a function of its pipeline. */
const FILE_NAME = /^(\w+)\.(\w+)(\.\d+)?\.js$/;

/** Returns a resolver for every field that has files in `infra/resolvers`. Throws when a file is not a valid resolver. */
export function loadResolvers(dataSource: DataSource, clock: Clock): Resolvers {
  const resolvers: Resolvers = {};
  const files = readdirSync(FOLDER);
  for (const file of files) {
    const [, parentTypeName, fieldName, step] = FILE_NAME.exec(file) ?? [];
    if (parentTypeName === undefined || fieldName === undefined || step !== undefined) continue;
    const util = createResolverUtil({ parentTypeName, fieldName }, clock);
    const load = (name: string) => compileResolver(readFileSync(FOLDER + name, 'utf8'), FOLDER + name, util);
    const steps = files.filter(
      (name) => FILE_NAME.exec(name)?.[3] && name.startsWith(`${parentTypeName}.${fieldName}.`),
    );
    const resolver =
      steps.length === 0
        ? createUnitResolver(load(file), dataSource)
        : createPipelineResolver(load(file), steps.sort().map(load), dataSource);
    resolvers[parentTypeName] = { ...resolvers[parentTypeName], [fieldName]: resolver };
  }
  return resolvers;
}

/**
 * Returns a function that runs a unit resolver as AppSync does: the response function also runs when the data source
 * has returned an error.
 */
function createUnitResolver({ request, response }: ResolverFile, dataSource: DataSource): Resolver {
  return async (args, caller, info) => {
    const context = createContext(args, caller, info);
    const outcome = await dataSource(request(context));
    return response({ ...context, ...outcome });
  };
}

/**
 * Returns a function that runs a pipeline: the request of the resolver, each function with its data source, and the
 * response of the resolver. All share `stash`, and each gets the result of the one before.
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-reference-overview-js.html#anatomy-of-a-pipeline-resolver-js
 */
function createPipelineResolver(
  { request, response }: ResolverFile,
  functions: readonly ResolverFile[],
  dataSource: DataSource,
): Resolver {
  return async (args, caller, info) => {
    const context = createContext(args, caller, info);
    let result = request(context);
    for (const step of functions) result = await runStep(step, { ...context, prev: { result } }, dataSource);
    return response({ ...context, prev: { result }, result });
  };
}

async function runStep(
  { request, response }: ResolverFile,
  context: ResolverContext,
  dataSource: DataSource,
): Promise<unknown> {
  try {
    const outcome = await dataSource(request(context));
    return response({ ...context, ...outcome });
  } catch (error) {
    if (error instanceof EarlyReturn) return error.result;
    throw error;
  }
}

function createContext(
  args: Record<string, unknown>,
  { identity, headers }: Caller,
  info: FieldInfo,
): ResolverContext {
  return {
    arguments: args,
    args,
    identity,
    stash: {},
    prev: null,
    source: null,
    env: { MESSAGES_TABLE: messagesTable.TableName },
    info,
    request: { headers, domainName: null },
  };
}

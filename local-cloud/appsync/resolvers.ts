import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../http/exchange.ts';
import type { Resolver, Resolvers } from './api-schema.ts';
import type { DataSource } from './dynamodb-data-source.ts';
import type { ResolverContext } from './resolver-context.ts';
import { compileResolver, type ResolverFile } from './resolver-file.ts';
import { createResolverUtil } from './resolver-util.ts';

/** The files `{Type}.{field}.js`, which are also deployed to AppSync. */
const FOLDER = fileURLToPath(new URL('../../infra/resolvers/', import.meta.url));
const FILE_NAME = /^(\w+)\.(\w+)\.js$/;

/** Returns a resolver for every file in `infra/resolvers`. Throws when a file is not a valid resolver. */
export function loadResolvers(dataSource: DataSource, clock: Clock): Resolvers {
  const resolvers: Resolvers = {};
  for (const file of readdirSync(FOLDER)) {
    const [, parentTypeName, fieldName] = FILE_NAME.exec(file) ?? [];
    if (parentTypeName === undefined || fieldName === undefined) continue;
    const util = createResolverUtil({ parentTypeName, fieldName }, clock);
    const resolver = compileResolver(readFileSync(FOLDER + file, 'utf8'), FOLDER + file, util);
    resolvers[parentTypeName] = {
      ...resolvers[parentTypeName],
      [fieldName]: createUnitResolver(resolver, dataSource),
    };
  }
  return resolvers;
}

/**
 * Returns a function that runs a unit resolver as AppSync does: the response function also runs when the data source
 * has returned an error.
 */
function createUnitResolver({ request, response }: ResolverFile, dataSource: DataSource): Resolver {
  return async (args, { identity, headers }, info) => {
    const context: ResolverContext = {
      arguments: args,
      args,
      identity,
      stash: {},
      prev: null,
      source: null,
      info,
      request: { headers, domainName: null },
    };
    const outcome = await dataSource(request(context));
    return response({ ...context, ...outcome });
  };
}

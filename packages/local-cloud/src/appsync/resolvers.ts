import type { Clock } from '../http/exchange.ts';
import type { Infra } from '../infra/infra.ts';
import type { FieldCall, Resolver, Resolvers } from './api-schema.ts';
import type { DataSource } from './dynamodb-data-source.ts';
import type { ResolverContext } from './resolver-context.ts';
import { compileResolver, type ResolverFile, type ResolverFunctions } from './resolver-file.ts';
import { createResolverLibrary, EarlyReturn } from './resolver-library.ts';

/** Returns the resolver of every field that has one. Throws when one is not valid. */
export function loadResolvers(
  { resolvers: sources, environment }: Pick<Infra, 'resolvers' | 'environment'>,
  dataSource: DataSource,
  clock: Clock,
): Resolvers {
  const resolvers: Resolvers = {};
  for (const { typeName, fieldName, resolver, functions } of sources) {
    const main = compileResolver(resolver);
    const steps = functions.map(compileResolver);
    const created = createResolver({ main, steps, dataSource, environment, clock });
    resolvers[typeName] = { ...resolvers[typeName], [fieldName]: created };
  }
  return resolvers;
}

/** A unit resolver has no steps. */
type Parts = {
  main: ResolverFile;
  steps: readonly ResolverFile[];
  dataSource: DataSource;
  environment: Record<string, string>;
  clock: Clock;
};

/**
 * Returns a function that runs a resolver as AppSync does. In a pipeline, the request of the resolver, the functions and the
 * response of the resolver share `stash`, and each gets the result of the one before.
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-reference-overview-js.html#anatomy-of-a-pipeline-resolver-js
 */
function createResolver({ main, steps, dataSource, environment, clock }: Parts): Resolver {
  return async (args, call) => {
    const library = createResolverLibrary({ ...call, clock, mode: call.caller.mode });
    const context = createContext(args, call, environment);
    const resolver = main(library);
    if (steps.length === 0) return (await runFunction(resolver, context, dataSource)).result;
    let last = withEarlyReturn(() => resolver.request(context), 'END');
    for (const step of steps) {
      if (last.skipTo === 'END') break;
      last = await runFunction(step(library), { ...context, prev: { result: last.result } }, dataSource);
    }
    const { result } = last;
    return withEarlyReturn(() => resolver.response({ ...context, prev: { result }, result }), 'END').result;
  };
}

/** The result of a function, and where to continue after an early return. */
type Outcome = { result: unknown; skipTo: 'END' | 'NEXT' | null };

/** Calls a function. `skipTo` is where an early return continues unless it says so itself. */
function withEarlyReturn(run: () => unknown, skipTo: 'END' | 'NEXT'): Outcome {
  try {
    return { result: run(), skipTo: null };
  } catch (error) {
    if (error instanceof EarlyReturn) return { result: error.result, skipTo: error.skipTo ?? skipTo };
    throw error;
  }
}

/** The response function also runs when the data source has returned an error. */
async function runFunction(
  { request, response }: ResolverFunctions,
  context: ResolverContext,
  dataSource: DataSource,
): Promise<Outcome> {
  const requested = withEarlyReturn(() => request(context), 'NEXT');
  if (requested.skipTo !== null) return requested;
  const outcome = await dataSource(requested.result);
  return withEarlyReturn(() => response({ ...context, ...outcome }), 'NEXT');
}

function createContext(
  args: Record<string, unknown>,
  { caller: { identity, headers }, source, info }: FieldCall,
  env: Record<string, string>,
): ResolverContext {
  return {
    arguments: args,
    args,
    identity,
    stash: {},
    prev: null,
    source,
    env,
    info,
    request: { headers, domainName: null },
  };
}

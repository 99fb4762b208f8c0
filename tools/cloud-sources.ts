/** What the local cloud gets from this repository. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InfraSource, ResolverSource } from '@tenfold/local-cloud';
import { readTemplate } from './aws/template.ts';
import { paletteProperties } from './build/brand/palette.ts';
import { bundleResolver, RESOLVER_FILE } from './build/resolver-bundle.ts';

/** The folder `infra` of the repository. */
export const INFRA = fileURLToPath(new URL('../infra', import.meta.url));

/** The colors of the site, for the hosted login. */
export const palette = paletteProperties('--').join(' ');

/** Reads the template and the resolvers of the folder, and the schema beside it. */
export function readInfra(folder = INFRA): InfraSource {
  return {
    template: readTemplate(readFileSync(join(folder, 'template.yaml'), 'utf8')),
    schema: readFileSync(join(folder, '../schema.graphql'), 'utf8'),
    resolvers: readResolvers(join(folder, 'resolvers')),
  };
}

function readResolvers(folder: string): ResolverSource[] {
  const names = readdirSync(folder).sort();
  const read = (name: string) => {
    const path = join(folder, name);
    return { path, ...bundleResolver(path) };
  };
  return names.flatMap((name) => {
    const [, typeName, fieldName, number] = RESOLVER_FILE.exec(name) ?? [];
    if (typeName === undefined || fieldName === undefined || number !== undefined) return [];
    const isFunction = (other: string) =>
      other.startsWith(`${typeName}.${fieldName}.`) && RESOLVER_FILE.exec(other)?.[3] !== undefined;
    return [{ typeName, fieldName, resolver: read(name), functions: names.filter(isFunction).map(read) }];
  });
}

/** The production part of a software bill of materials (CycloneDX) that `npm sbom` prints. */
import { z } from 'zod';
import { isShippedByTools } from '../licenses/shipped-packages.ts';

const component = z.looseObject({
  'bom-ref': z.string(),
  name: z.string(),
  version: z.string(),
  licenses: z.array(z.unknown()).optional(),
});
export const bomSchema = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component }),
  components: z.array(component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
});
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      name: z.string().optional(),
      version: z.string().optional(),
      dev: z.boolean().default(false),
      /** An optional dependency of production packages that is here for development only. */
      devOptional: z.boolean().default(false),
    }),
  ),
});
export type Bom = z.infer<typeof bomSchema>;

type LockEntry = { name: string; alias: string; version: string };

/**
 * Returns the packages that the lock file does not mark as ones for development, and those whose fonts, styles or code the
 * build takes over. Only an alias has a name of its own.
 */
function productionEntries(lockFile: string): LockEntry[] {
  const { packages } = lockSchema.parse(JSON.parse(lockFile));
  return Object.entries(packages)
    .map(([path, { name, version = '', dev, devOptional }]) => {
      const alias = path.split('node_modules/').at(-1) ?? '';
      return { name: name ?? alias, alias, version, isForDevelopment: dev || devOptional };
    })
    .filter(({ alias, isForDevelopment }) => alias !== '' && (!isForDevelopment || isShippedByTools(alias)))
    .map(({ isForDevelopment, ...entry }) => entry);
}

/** Returns `name@version` of every production package of the lock file. */
export function productionPackages(lockFile: string): Set<string> {
  return new Set(productionEntries(lockFile).map(({ name, version }) => `${name}@${version}`));
}

/**
 * Returns the bill without the development packages of which a build contains nothing, and with the names of packages in
 * place of their aliases. The option of npm for the first drops packages that both kinds share.
 */
export function keepProduction(bom: Bom, lockFile: string): Bom {
  const names = new Map(
    productionEntries(lockFile).map(({ name, alias, version }) => [`${alias}@${version}`, name]),
  );
  const components = bom.components.flatMap((entry) => {
    const name = names.get(`${entry.name}@${entry.version}`);
    return name ? [{ ...entry, name }] : [];
  });
  const refs = new Set([bom.metadata.component['bom-ref'], ...components.map((kept) => kept['bom-ref'])]);
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn.filter((dependency) => refs.has(dependency)),
    }));
  return { ...bom, components, dependencies };
}

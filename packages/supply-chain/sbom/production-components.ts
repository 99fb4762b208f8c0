/** The production part of a software bill of materials (CycloneDX) that `npm sbom` prints. */
import { z } from 'zod';
import { isShippedByTools } from '../../site-build/licenses/shipped-packages.ts';

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
const names = z.record(z.string(), z.unknown()).default({});
/** By path, such as `node_modules/react`. The site itself has the path ''. */
const lockedPackages = z.record(
  z.string(),
  z.object({
    name: z.string().optional(),
    version: z.string().optional(),
    dependencies: names,
    optionalDependencies: names,
    peerDependencies: names,
    peerDependenciesMeta: z
      .record(z.string(), z.object({ optional: z.boolean().default(false) }))
      .default({}),
  }),
);
const lockSchema = z.object({ packages: lockedPackages });
export type Bom = z.infer<typeof bomSchema>;

type LockedPackages = z.infer<typeof lockedPackages>;
type LockEntry = { name: string; alias: string; version: string };

/**
 * Returns the packages that the dependencies of the site need, directly or through others, and those whose fonts, styles
 * or code the build takes over. Only an alias has a name of its own.
 */
function productionEntries(lockFile: string): LockEntry[] {
  const { packages } = lockSchema.parse(JSON.parse(lockFile));
  const needed = neededPaths(packages);
  return Object.entries(packages).flatMap(([path, { name, version = '' }]) => {
    const [, alias] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    const isListed = alias !== undefined && (needed.has(path) || isShippedByTools(alias));
    return isListed ? { name: name ?? alias, alias, version } : [];
  });
}

function neededPaths(packages: LockedPackages): Set<string> {
  const paths = new Set(['']);
  for (const path of paths) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      packages[path] ?? lockedPackages.valueType.parse({});
    const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const found = installedPath(packages, path, name);
      if (found !== null) paths.add(found);
    }
  }
  return paths;
}

/** Returns where Node finds the package `name` for the package at `path`; null if it is not installed. */
function installedPath(packages: LockedPackages, path: string, name: string): string | null {
  for (let folder = path; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('node_modules/') - 1, 0))) {
    const found = `${folder}${folder && '/'}node_modules/${name}`;
    if (found in packages) return found;
    if (folder === '') return null;
  }
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

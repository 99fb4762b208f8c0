import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { isAcceptedLicense } from '../../site-build/licenses/accepted-licenses.ts';
import { bomSchema, productionPackages } from '../sbom/production-components.ts';

const output = execFileSync('npx', ['tsx', 'packages/supply-chain/sbom.ts'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
const bom = bomSchema.parse(JSON.parse(output));

it('lists exactly the packages of the lock file for production, and those of which a build contains parts', () => {
  const lock = readFileSync('package-lock.json', 'utf8');
  const listed = bom.components.map(({ name, version }) => `${name}@${version}`);
  expect(listed.toSorted()).toEqual([...productionPackages(lock)].sort());
  expect(listed).toContain('undici@6.29.1');
  expect(listed.filter((name) => /^(vitest|typescript|@playwright\/test)@/.test(name))).toEqual([]);
});

/** A license of a component in CycloneDX: an SPDX expression, or the id of one license. */
const licenseChoice = z.union([
  z.object({ expression: z.string() }).transform(({ expression }) => expression),
  z.object({ license: z.object({ id: z.string() }) }).transform(({ license }) => license.id),
]);

it('gives every package a license that allows the distribution of a build', () => {
  const unknown = bom.components.filter(({ licenses = [] }) => {
    const expressions = z.array(licenseChoice).min(1).safeParse(licenses).data;
    return !expressions?.every(isAcceptedLicense);
  });
  expect(unknown.map(({ name, licenses }) => `${name} ${JSON.stringify(licenses)}`)).toEqual([]);
});

it('names only packages of the list as dependencies', () => {
  const refs = new Set(['tenfold', ...bom.components.map((entry) => entry['bom-ref'])]);
  const unknown = bom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref));
  expect(unknown).toEqual([]);
});

/** Programs for other platforms, which npm has not downloaded here, and of which it therefore knows no hash. */
const PROGRAMS = /^node_modules\/@(?:biomejs\/cli|rollup\/rollup|tailwindcss\/oxide)-/;

it('takes all packages from the registry, with a hash, except programs for other platforms', () => {
  const lock = z
    .object({
      packages: z.record(
        z.string(),
        z.object({
          integrity: z.string().optional(),
          resolved: z.string().optional(),
          link: z.boolean().optional(),
          optional: z.boolean().optional(),
        }),
      ),
    })
    .parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
  // Without the packages of this repository and the links to them.
  const packages = Object.entries(lock.packages).filter(
    ([path]) => path.includes('node_modules/') && !path.startsWith('node_modules/@tenfold/'),
  );
  const withoutHash = packages.filter(([, { integrity = '' }]) => !/^sha512-/.test(integrity));
  expect(withoutHash.map(([path]) => path).filter((path) => !PROGRAMS.test(path))).toEqual([]);
  expect(withoutHash.filter(([, { optional }]) => !optional)).toEqual([]);
  // npm leaves out `resolved` for packages of the registry (`.npmrc`), and only for these.
  expect(packages.filter(([, { resolved, link }]) => resolved !== undefined || link)).toEqual([]);
});

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bomSchema, productionPackages } from '../../../scripts/sbom/production-components.ts';

/** Licenses that allow the distribution of a build. */
const ACCEPTED = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-3-Clause',
  '0BSD',
  'OFL-1.1',
  'BlueOak-1.0.0',
  'Unlicense',
];

const output = execFileSync('npx', ['tsx', 'scripts/sbom.ts'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
const bom = bomSchema.parse(JSON.parse(output));

it('lists exactly the production packages of the lock file', () => {
  const lock = readFileSync('package-lock.json', 'utf8');
  const listed = bom.components.map(({ name, version }) => `${name}@${version}`);
  expect(listed.toSorted()).toEqual([...productionPackages(lock)].sort());
  expect(listed).toContain('undici@6.29.1');
  expect(listed.filter((name) => /^(vite|vitest|@playwright\/test)@/.test(name))).toEqual([]);
});

it('gives every package a license that allows the distribution of a build', () => {
  const unknown = bom.components.filter(({ licenses = [] }) => {
    const names = JSON.stringify(licenses).match(
      /[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)+|\bMIT\b|\bISC\b|\b0BSD\b|\bUnlicense\b/g,
    );
    return !names || names.some((name) => !ACCEPTED.includes(name));
  });
  expect(unknown.map(({ name, licenses }) => `${name} ${JSON.stringify(licenses)}`)).toEqual([]);
});

it('names only packages of the list as dependencies', () => {
  const refs = new Set(['tenfold', ...bom.components.map((entry) => entry['bom-ref'])]);
  const unknown = bom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref));
  expect(unknown).toEqual([]);
});

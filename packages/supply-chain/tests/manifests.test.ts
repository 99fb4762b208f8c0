/** The package.json files of the workspace. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

const versions = z.record(z.string(), z.string()).default({});
const manifest = z.object({ dependencies: versions, devDependencies: versions });

const files = ['package.json', ...readdirSync('packages').map((name) => `packages/${name}/package.json`)];
const required = files.flatMap((file) => {
  const { dependencies, devDependencies } = manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
  return Object.entries({ ...dependencies, ...devDependencies }).map(([name, version]) => ({
    name,
    version,
  }));
});

it('name exact versions, and the same one of a package everywhere', () => {
  const exact = /^(?:npm:@?[^@]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;
  expect(required.filter(({ version }) => !exact.test(version))).toEqual([]);
  const first = new Map(required.toReversed().map(({ name, version }) => [name, version]));
  expect(required.filter(({ name, version }) => first.get(name) !== version)).toEqual([]);
});

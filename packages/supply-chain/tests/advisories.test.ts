/** security/advisories.json: every published advisory about an installed version has a verdict, and every proof exists. */
import { readFileSync } from 'node:fs';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const advisorySchema = z.strictObject({
  ids: z.array(z.string().regex(/^(CVE-\d{4}-\d{4,6}|GHSA(-[23456789cfghjmpqrvwx]{4}){3})$/)).min(1),
  package: z.string(),
  range: z.string(),
  title: z.string().min(10),
  where: z.string().min(10),
  verdict: z.enum(['fixed by this version', 'fixed by override', 'unreachable']),
  reason: z.string().min(10).optional(),
  tests: z.array(z.string()).min(1).optional(),
  source: z.string().min(10),
});
type Advisory = z.infer<typeof advisorySchema>;

const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ name: z.string().optional(), version: z.string().optional() })),
});
const manifestSchema = z.object({ overrides: z.record(z.string(), z.unknown()) });

const { advisories } = z
  .strictObject({ $comment: z.string(), advisories: z.array(advisorySchema) })
  .parse(JSON.parse(readFileSync('security/advisories.json', 'utf8')));
const { packages } = lockSchema.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
const manifest = readFileSync('package.json', 'utf8');
const { overrides } = manifestSchema.parse(JSON.parse(manifest));

const named = advisories.map((advisory) => ({
  ...advisory,
  name: `${advisory.ids[0]} (${advisory.package})`,
}));
const withVerdict = (verdict: Advisory['verdict']) =>
  named.filter((advisory) => advisory.verdict === verdict);

describe('security/advisories.json', () => {
  it('names each advisory once per package', () => {
    const keys = advisories.flatMap(({ ids, package: name }) => ids.map((id) => `${id} ${name}`));
    expect(keys.toSorted()).toEqual([...new Set(keys)].sort());
  });

  it.each(named)('$name has a valid range and a package that is installed', (advisory) => {
    expect(semver.validRange(advisory.range)).not.toBeNull();
    expect(versionsOf(advisory.package)).not.toEqual([]);
  });

  it.each(named)(
    '$name has a verdict that agrees with the installed versions',
    ({ verdict, ...advisory }) => {
      expect(affectedVersions(advisory).length > 0 ? verdict : 'unaffected').toBe(
        verdict === 'unreachable' ? verdict : 'unaffected',
      );
    },
  );
});

describe('the verdict “fixed by override”', () => {
  it.each(withVerdict('fixed by override'))('names an override of package.json: $name', (advisory) => {
    expect(overriddenNames(overrides)).toContain(advisory.package);
  });
});

describe('the verdict “unreachable”', () => {
  it.each(withVerdict('unreachable'))(
    'gives a reason and tests that exist: $name',
    ({ reason, tests = [] }) => {
      expect(reason).toBeDefined();
      expect(tests.filter((test) => !testExists(test))).toEqual([]);
      expect(tests.length).toBeGreaterThan(0);
    },
  );

  it('is the only verdict with tests', () => {
    expect(named.filter(({ verdict, tests }) => tests && verdict !== 'unreachable')).toEqual([]);
  });
});

/** Returns every installed version of a package, under its own name where package.json has an alias for it. */
function versionsOf(name: string): string[] {
  const found = Object.entries(packages).flatMap(([path, entry]) =>
    path !== '' && (entry.name ?? path.split('node_modules/').at(-1)) === name && entry.version
      ? [entry.version]
      : [],
  );
  return [...new Set(found)];
}

function affectedVersions({ package: name, range }: Pick<Advisory, 'package' | 'range'>): string[] {
  return versionsOf(name).filter((version) => semver.satisfies(version, range, { includePrerelease: true }));
}

/** Returns the names of all packages that overrides replace, nested ones included. */
function overriddenNames(entries: object): string[] {
  return Object.entries(entries).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null ? overriddenNames(value) : [name],
  );
}

/** Whether a test of the form `file: title` exists and is not skipped. */
function testExists(test: string): boolean {
  const [file = '', title = ''] = test.split(/: (.*)/s);
  const code = readFileSync(file, 'utf8');
  const titles = [...code.matchAll(/\b(?:it|test)\(\s*'((?:[^'\\]|\\.)*)'/g)];
  return titles.some(([, found = '']) => found.replaceAll("\\'", "'") === title);
}

/** Install scripts of packages: none runs, because a script of a package could do anything on the machine. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { requireAs } from '../../../tests/support/advisories/installed-package.ts';

/** The packages that have one, and what works without it. */
const withScripts: Record<string, string> = {
  'classic-level': 'compiles the database of dynalite where the package has no program for the platform',
  esbuild: 'checks its program, and replaces a start script by it, which saves some milliseconds per start',
};

const lock = z
  .object({ packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().optional() })) })
  .parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));

it('are in known packages only, and npm runs none of them', () => {
  const scripted = Object.entries(lock.packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.split('node_modules/').at(-1) ?? '');
  expect([...new Set(scripted)].sort()).toEqual(Object.keys(withScripts).sort());
  expect(packageJson.allowScripts).toEqual(
    Object.fromEntries(Object.keys(withScripts).map((name) => [name, false])),
  );
  // Older releases of npm do not know allowScripts.
  expect(readFileSync('.npmrc', 'utf8').split('\n')).toContain('ignore-scripts=true');
});

it('are not part of this package, because npm would not run them', () => {
  const lifecycle = /^(pre|post)|^(prepare|install|dependencies)$/;
  expect(Object.keys(packageJson.scripts).filter((name) => lifecycle.test(name))).toEqual([]);
});

it('are not needed: the packages that have one work without it', () => {
  const { transformSync } = requireAs(['vite'], 'esbuild') as {
    transformSync(code: string): { code: string };
  };
  expect(transformSync('a ?? b').code).toContain('a ?? b');
  const { ClassicLevel } = requireAs(['dynalite', 'level'], 'classic-level') as { ClassicLevel: unknown };
  expect(ClassicLevel).toBeTypeOf('function');
});

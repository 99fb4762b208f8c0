import { createRequire } from 'node:module';

/**
 * Loads a module of `dependency` as `dependent` does, so that a test runs the very copy that the site uses. A dependent
 * of another package is given as a path: `['vite-env-only', 'micromatch']`.
 */
export function requireAs(path: readonly string[], dependency: string): unknown {
  const start = createRequire(import.meta.url);
  const require = path.reduce((from, name) => createRequire(from.resolve(name)), start);
  return require(dependency);
}

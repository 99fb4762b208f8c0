/**
 * Commands of the repository as JavaScript. Tests that start a command many times use it, because it starts faster
 * than with `node --import tsx`. Each command also has a test that starts it as npm does.
 */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { libraries } from '../../architecture/layers.ts';
import { requireAs } from '../advisories/installed-package.ts';

// The part of the API that is used here. Vite depends on this package, and this repository does not.
const esbuild = requireAs(['vite'], 'esbuild') as { build(options: object): Promise<unknown> };

const REQUIRE =
  "import { createRequire as createRequireFor } from 'node:module'; const require = createRequireFor(import.meta.url);";

type BundleOptions = {
  /** Whether the bundle contains the packages, which makes it start faster. */
  withPackages?: boolean;
};

const bundles = new Map<string, Promise<string>>();

/** Returns the path of a JavaScript file that does the same as the TypeScript file at `path`. */
export function bundleCommand(path: string, options: BundleOptions = {}): Promise<string> {
  const bundle = bundles.get(path) ?? writeBundle(path, options);
  bundles.set(path, bundle);
  return bundle;
}

async function writeBundle(path: string, { withPackages = false }: BundleOptions): Promise<string> {
  // A folder for each process, because test files run at the same time.
  const folder = resolve('test-results', 'commands', `${process.pid}-${bundles.size}`);
  await esbuild.build({
    entryPoints: { command: path },
    outdir: folder,
    bundle: true,
    alias: {
      ...Object.fromEntries(
        [...libraries, 'local-cloud'].map((name) => [
          `@tenfold/${name}`,
          resolve('packages', name, 'src/index.ts'),
        ]),
      ),
      '@tenfold/cognito-session/operations': resolve('packages/cognito-session/src/operations.ts'),
      '#upstream': resolve('packages/upstream/src/index.ts'),
    },
    packages: withPackages ? 'bundle' : 'external',
    // It finds its program beside its own file.
    external: ['esbuild'],
    // Packages as modules: esbuild leaves out what is not used, and an import() has the named exports.
    mainFields: ['module', 'main'],
    // CommonJS packages call it.
    banner: withPackages ? { js: REQUIRE } : {},
    // What the command imports later stays in files of its own.
    splitting: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    plugins: [sourceUrls],
  });
  return join(folder, 'command.js');
}

type Build = {
  onLoad(
    options: { filter: RegExp },
    load: (file: { path: string }) => { loader: 'ts' | 'tsx'; contents: string },
  ): void;
};

/** Keeps the address of each source file, relative to which it finds other files of the repository. */
const sourceUrls = {
  name: 'source-urls',
  setup(build: Build) {
    build.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const url = JSON.stringify(pathToFileURL(path).href);
      const contents = readFileSync(path, 'utf8').replaceAll('import.meta.url', url);
      return { loader: path.endsWith('x') ? 'tsx' : 'ts', contents };
    });
  },
};

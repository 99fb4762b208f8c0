import { readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';

/**
 * The name of a file in `infra/resolvers`: `{Type}.{field}.js` is a resolver, and `{Type}.{field}.{number}.js` a function of its
 * pipeline. Files with other names are modules that these import.
 */
export const RESOLVER_FILE = /^(\w+)\.(\w+)(\.\d+)?\.js$/;

/** The text of a resolver, and the files that it consists of: its own, and the modules that it imports. */
export type ResolverBundle = { code: string; files: readonly string[] };

/**
 * Returns the one file that AppSync takes as a resolver. The text of a resolver that imports no other file is unchanged, so
 * that the deployed code can be read. Throws esbuild's error, with file and line, for a syntax error and for an import that
 * cannot be resolved.
 * https://docs.aws.amazon.com/appsync/latest/devguide/additional-utilities.html
 */
export function bundleResolver(path: string): ResolverBundle {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [path],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'esnext',
    charset: 'utf8',
    external: ['@aws-appsync/utils'],
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const files = Object.keys(metafile.inputs);
  if (files.length > 1) return { code: outputFiles[0]?.text ?? '', files };
  return { code: readFileSync(path, 'utf8').replaceAll('\r\n', '\n'), files: [path] };
}

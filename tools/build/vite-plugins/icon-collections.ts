// Copies the installed icon collections into the build, so that production reads no node_modules.
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const INSTALLED = 'node_modules/@iconify-json';

/** Writes every installed collection to `{directory}/{collection}.json` at the end of the server build. */
export function iconCollections(directory: string): Plugin {
  let isServerBuild = false;
  return {
    name: 'tenfold:icon-collections',
    apply: 'build',
    config(_config, { isSsrBuild }) {
      isServerBuild = isSsrBuild ?? false;
    },
    async closeBundle() {
      if (!isServerBuild) return;
      await mkdir(directory, { recursive: true });
      for (const collection of await readdir(INSTALLED)) {
        await copyFile(join(INSTALLED, collection, 'icons.json'), join(directory, `${collection}.json`));
      }
    },
  };
}

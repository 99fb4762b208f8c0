// Compresses the static files of the build with Brotli and gzip at the highest level.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { encodeInAllCodings } from '../../../packages/site-server/src/content-coding.ts';

const TEXT = /\.(?:css|ico|js|json|svg|txt|webmanifest|xml)$/;

/** A compressed copy must be at least a tenth smaller; otherwise decompressing it costs more than it saves. */
const MAX_RATIO = 0.9;

/** Writes a `.br` and a `.gz` file next to every text file of `directory`, at the end of the server build. */
export function compressedFiles(directory: string): Plugin {
  let isServerBuild = false;
  return {
    name: 'tenfold:compressed-files',
    apply: 'build',
    config(_config, { isSsrBuild }) {
      isServerBuild = isSsrBuild ?? false;
    },
    async closeBundle() {
      if (!isServerBuild) return;
      const files = await readdir(directory, { recursive: true });
      await Promise.all(
        // Remix deletes its own files (`.vite`) at the end of the build.
        files
          .filter((file) => TEXT.test(file) && !file.startsWith('.'))
          .map((file) => compress(join(directory, file))),
      );
    },
  };
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path);
  const { br, gzip } = await encodeInAllCodings(content, { br: 11, gzip: 9 });
  for (const [extension, encoded] of [
    ['br', br],
    ['gz', gzip],
  ] as const) {
    if (encoded.length < content.length * MAX_RATIO) await writeFile(`${path}.${extension}`, encoded);
  }
}

// Every file of the build that gets smaller by it lies beside its copies in brotli and gzip, made once at their best.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { encodeText } from '../../app/server/http/content-coding.ts';

const TEXT = /\.(?:css|ico|js|json|svg|txt|webmanifest|xml)$/;

/** Where the two are alike, undoing the coding costs the browser more than it saves the wire. */
const WORTH = 0.9;

/** Compresses `directory` once the last of the two builds has put its files there. */
export function compressedFiles(directory: string): Plugin {
  let isLast = false;
  return {
    name: 'tenfold:compressed-files',
    apply: 'build',
    config(_config, { isSsrBuild }) {
      isLast = isSsrBuild ?? false;
    },
    async closeBundle() {
      if (!isLast) return;
      const files = await readdir(directory, { recursive: true });
      await Promise.all(
        // What begins with a dot is the build's own, and gone when it is done.
        files
          .filter((file) => TEXT.test(file) && !file.startsWith('.'))
          .map((file) => compress(join(directory, file))),
      );
    },
  };
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path);
  const { br, gzip } = await encodeText(content, 'best');
  for (const [extension, encoded] of [
    ['br', br],
    ['gz', gzip],
  ] as const) {
    if (encoded.length < content.length * WORTH) await writeFile(`${path}.${extension}`, encoded);
  }
}

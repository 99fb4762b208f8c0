/**
 * `npm run reproduce`: builds the site again in a copy of the repository, in another folder and time zone and without
 * caches, and compares every byte with `build`. Exits with 1 when they differ.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { copyRepository, removeCopy, runInCopy, separateCaches } from './recipes/copy.ts';
import { differingFiles, filesWith } from './reproduce/compare-builds.ts';

const buildInfo = z.object({ node: z.string(), sourceDateEpoch: z.number() });

const { node, sourceDateEpoch } = buildInfo.parse(JSON.parse(readFileSync('build/build-info.json', 'utf8')));
if (node !== process.version) {
  throw new Error(`The build was made by Node ${node}; run this command with the same version.`);
}

const copy = copyRepository();
try {
  separateCaches(copy);
  await runInCopy(copy, 'remix', ['vite:build', '--logLevel', 'warn'], {
    SOURCE_DATE_EPOCH: String(sourceDateEpoch),
    TZ: 'Pacific/Kiritimati',
    LC_ALL: 'C',
  });
  report(differingFiles('build', join(copy, 'build')), 'differs from a build in another folder');
  report(filesWith('build', process.cwd()), 'contains the path of the repository');
} finally {
  removeCopy(copy);
}

function report(files: readonly string[], problem: string): void {
  for (const file of files) process.stdout.write(`build/${file} ${problem}\n`);
  if (files.length > 0) process.exitCode = 1;
}

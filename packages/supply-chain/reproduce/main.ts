/**
 * `npm run reproduce`: builds the site again in another folder and time zone and without caches, and compares every byte
 * with `build`. Exits with 1 when they differ.
 */
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { differingFiles, filesIn } from './compare-builds.ts';
import { buildElsewhere } from './second-build.ts';

const INFO = 'build/build-info.json';
const buildInfo = z.object({ node: z.string(), sourceDateEpoch: z.number() });

if (!existsSync(INFO)) fail('There is no build to compare with. Run `npm run build` first.');
const { node, sourceDateEpoch } = buildInfo.parse(JSON.parse(readFileSync(INFO, 'utf8')));
if (node !== process.version) fail(`Node ${node} made the build. Run this command with the same version.`);

const differing = await buildElsewhere(sourceDateEpoch, (build) => differingFiles('build', build));
if (differing.length > 0) {
  const lines = differing.map((file) => `build/${file} differs from the second build`);
  fail([...lines, 'If the code has changed since the build, run `npm run build` first.'].join('\n'));
}
console.log(
  `The second build is the same: ${filesIn('build').length} files, SOURCE_DATE_EPOCH=${sourceDateEpoch}.`,
);

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

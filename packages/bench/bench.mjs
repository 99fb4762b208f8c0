// Builds the site and measures its speed, with --memory its memory under load, or with --inp the first press on each
// control; see docs/performance.md.
import { buildSite, fail, installPackages, run } from '../../scripts/setup/setup.mjs';

installPackages();
if (!buildSite()) fail('The build failed.');
const options = process.argv.slice(2);
const subject = ['memory', 'inp'].find((name) => options.includes(`--${name}`)) ?? 'speed';
const args = ['--import', 'tsx', `packages/bench/${subject}/main.ts`, ...options];
if (!run(process.execPath, args)) process.exitCode = 1;

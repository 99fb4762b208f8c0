// Builds the site and measures its speed, or with --memory its memory under load; see docs/performance.md.
import { buildSite, fail, installPackages, run } from '../../scripts/setup/setup.mjs';

installPackages();
if (!buildSite()) fail('The build failed.');
const options = process.argv.slice(2);
const main = options.includes('--memory') ? 'packages/bench/memory/main.ts' : 'packages/bench/speed/main.ts';
const args = ['--import', 'tsx', main, ...options];
if (!run(process.execPath, args)) process.exitCode = 1;

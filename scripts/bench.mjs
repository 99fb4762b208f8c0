// Builds the site and measures its speed and memory; see docs/performance.md.
import { buildSite, fail, installPackages, run } from './setup/setup.mjs';

installPackages();
if (!buildSite()) fail('The build failed.');
const args = ['--import', 'tsx', 'bench/speed/main.ts', ...process.argv.slice(2)];
if (!run(process.execPath, args)) process.exitCode = 1;

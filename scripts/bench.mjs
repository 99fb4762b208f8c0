// The speed and memory figures, as ratios measured in one run, from a fresh clone by one command.
import { fail, installPackages, run, runTool } from './setup/setup.mjs';

installPackages();
process.stdout.write('Building …\n');
if (!runTool('remix', ['vite:build', '--logLevel', 'warn'])) fail('The build failed.');
if (!run(process.execPath, ['--import', 'tsx', 'bench/speed.ts'])) process.exitCode = 1;

// Builds the site and checks what it withstands; see bench/resilience.ts.

import { findOrInstallRedis } from './setup/redis.mjs';
import { fail, installPackages, runTool } from './setup/setup.mjs';

installPackages();
if (!runTool('remix', ['vite:build', '--logLevel', 'warn'])) fail('The site cannot be built.');
findOrInstallRedis();
process.exitCode = runTool('tsx', ['bench/resilience.ts', ...process.argv.slice(2)]) ? 0 : 1;

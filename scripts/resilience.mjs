// Builds the site and checks what it withstands; see bench/resilience.ts.
import { fail, installPackages, runTool } from './ground.mjs';
import { findOrInstallRedis } from './redis.mjs';

installPackages();
if (!runTool('remix', ['vite:build', '--logLevel', 'warn'])) fail('The site cannot be built.');
findOrInstallRedis();
process.exitCode = runTool('tsx', ['bench/resilience.ts', ...process.argv.slice(2)]) ? 0 : 1;

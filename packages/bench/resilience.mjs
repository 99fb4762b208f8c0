// Builds the site and checks how it behaves under failures and races; see packages/bench/resilience/main.ts.
import { findOrInstallRedis } from '../../scripts/setup/redis.mjs';
import { buildSite, fail, installPackages, runTool } from '../../scripts/setup/setup.mjs';

installPackages();
// `--build` names a build that exists already.
if (!process.argv.includes('--build') && !buildSite()) fail('The build failed.');
findOrInstallRedis();
process.exitCode = runTool('tsx', ['packages/bench/resilience/main.ts', ...process.argv.slice(2)]) ? 0 : 1;

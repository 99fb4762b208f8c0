// Builds the site and measures it behind the shared caches whose configurations the repository ships; see
// packages/bench/edge/main.ts.
import { findOrInstallNginx } from '../../scripts/setup/nginx.mjs';
import { buildSite, fail, installPackages, runTool } from '../../scripts/setup/setup.mjs';
import { findOrInstallVarnish } from '../../scripts/setup/varnish.mjs';

installPackages();
// `--build` names a build that exists already.
if (!process.argv.includes('--build') && !buildSite()) fail('The build failed.');
findOrInstallNginx();
findOrInstallVarnish();
process.exitCode = runTool('tsx', ['packages/bench/edge/main.ts', ...process.argv.slice(2)]) ? 0 : 1;

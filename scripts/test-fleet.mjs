// Runs all route and end-to-end tests against four processes behind a load balancer, with a shared store and without.
import { findOrInstallRedis } from './setup/redis.mjs';
import { buildSite, fail, installPackages, runTool } from './setup/setup.mjs';

installPackages();
if (!buildSite()) fail('The build failed.');
findOrInstallRedis();
// browser.mjs imports Playwright, which is installed by now.
const { findOrInstallBrowser, NO_BROWSER } = await import('./setup/browser.mjs');
const browser = findOrInstallBrowser();
if (!browser) fail(NO_BROWSER);
const env = { ...process.env, WHOLE_SUITE: 'true', CHROMIUM_PATH: browser };
const routes = runTool('vitest', ['run', '--project', 'four*'], env);
const pages = runTool('playwright', ['test', '--project', 'four*'], env);
process.exitCode = routes && pages ? 0 : 1;

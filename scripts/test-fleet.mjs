// Everything that looks at the site from outside, against four processes behind a balancer: with a store and without.

import { findOrInstallRedis } from './setup/redis.mjs';
import { fail, installPackages, runTool } from './setup/setup.mjs';

installPackages();
if (!runTool('remix', ['vite:build', '--logLevel', 'warn'])) fail('The site cannot be built.');
findOrInstallRedis();
const { findOrInstallBrowser } = await import('./setup/browser.mjs');
const browser = findOrInstallBrowser();
if (!browser) fail('No browser could be found or installed. Set CHROMIUM_PATH to a Chromium or Chrome.');
const env = { ...process.env, WHOLE_SUITE: 'true', CHROMIUM_PATH: browser };
const routes = runTool('vitest', ['run', '--project', 'four*'], env);
const pages = runTool('playwright', ['test', '--project', 'four*'], env);
process.exitCode = routes && pages ? 0 : 1;

// Builds the site and checks every page with pseudo texts, from left to right and mirrored, at two widths.
import { buildSite, fail, installPackages, runTool } from '../../scripts/setup/setup.mjs';

installPackages();
if (!buildSite()) fail('The build failed.');
// browser.mjs imports Playwright, which is installed by now.
const { findOrInstallBrowser, NO_BROWSER } = await import('../../scripts/setup/browser.mjs');
const browser = findOrInstallBrowser();
if (!browser) fail(NO_BROWSER);
const test = ['pseudo-locales.spec.ts', '--project', 'one machine'];
const env = { ...process.env, ALL_PSEUDO_VARIANTS: 'true', CHROMIUM_PATH: browser };
process.exitCode = runTool('playwright', ['test', ...test], env) ? 0 : 1;

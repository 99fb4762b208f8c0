// Finds a browser for the end-to-end tests, or installs one.
import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';
import {
  canInstallDebianPackages,
  findProgram,
  installDebianPackages,
  isExecutable,
  updateDebianLists,
} from './installed-programs.mjs';
import { runTool } from './setup.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const OUTSIDE_PATH = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

export const NO_BROWSER =
  'No browser was found, and none could be installed. Set CHROMIUM_PATH to Chromium or Chrome.';

/**
 * Path of Chromium or Chrome: CHROMIUM_PATH, an installed one, Playwright's, or Debian's. Null when all of them fail.
 * @returns {string | null}
 */
export function findOrInstallBrowser() {
  return process.env.CHROMIUM_PATH ?? installedBrowser() ?? playwrightBrowser() ?? debianBrowser();
}

function installedBrowser() {
  return findProgram(NAMES) ?? OUTSIDE_PATH.find(isExecutable) ?? null;
}

function playwrightBrowser() {
  const path = chromium.executablePath();
  if (existsSync(path)) return path;
  process.stdout.write('No Chromium or Chrome found. Downloading Playwright’s …\n');
  return runTool('playwright', ['install', 'chromium']) && existsSync(path) ? path : null;
}

function debianBrowser() {
  if (!canInstallDebianPackages()) return null;
  process.stdout.write('Installing Debian’s chromium …\n');
  const isInstalled =
    updateDebianLists() && installDebianPackages('chromium', 'fonts-noto-core', 'fonts-noto-cjk');
  return isInstalled ? installedBrowser() : null;
}

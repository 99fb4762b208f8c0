// A browser for the end-to-end tests: one that is there, else Playwright's, else Debian's.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from '@playwright/test';
import { run, runTool } from './setup.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const wellKnown = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Path of a Chromium or Chrome, installed if need be; null when none can be had. */
export function findOrInstallBrowser() {
  return (
    process.env.CHROMIUM_PATH ??
    installedBrowser() ??
    playwrightBrowser() ??
    (debianBrowser() ? installedBrowser() : null)
  );
}

function installedBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...wellKnown];
  return candidates.find(isExecutable) ?? null;
}

function playwrightBrowser() {
  const path = chromium.executablePath();
  if (existsSync(path)) return path;
  process.stdout.write('No Chromium or Chrome found: asking Playwright for one …\n');
  return runTool('playwright', ['install', 'chromium']) && existsSync(path) ? path : null;
}

function debianBrowser() {
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) return false;
  process.stdout.write('Installing Debian’s chromium …\n');
  return (
    run('apt-get', ['update', '-q']) &&
    run('apt-get', ['install', '-y', '-q', 'chromium', 'fonts-noto-core', 'fonts-noto-cjk'])
  );
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// Finds the browsers of the end-to-end tests beside Chromium.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, isExecutable } from './installed-programs.mjs';

/** Where Debian has the libraries of each processor architecture, and WebKit's small browser. */
const LIBRARIES = '/usr/lib';

/** Path of an installed Firefox, or null. */
export function findFirefox() {
  return findProgram(['firefox-esr', 'firefox']);
}

/** Paths of an installed WebKitGTK: its small browser, its driver, and the display that both draw on. Or null. */
export function findWebKit() {
  const driver = findProgram(['WebKitWebDriver']);
  const display = findProgram(['Xvfb']);
  const browser = miniBrowser();
  return driver && display && browser ? { driver, display, browser } : null;
}

function miniBrowser() {
  if (!existsSync(LIBRARIES)) return null;
  const places = readdirSync(LIBRARIES).map((name) => join(LIBRARIES, name, 'webkit2gtk-4.1/MiniBrowser'));
  return places.find(isExecutable) ?? null;
}

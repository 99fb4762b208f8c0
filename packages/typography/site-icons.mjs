// Renders public/favicon.svg with a browser to the PNG and ICO files for old browsers, home screens and app launchers.
// Run it after changing the SVG: node packages/typography/site-icons.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { chromium } from '@playwright/test';
import { findOrInstallBrowser, NO_BROWSER } from '../../scripts/setup/browser.mjs';
import { fail } from '../../scripts/setup/setup.mjs';

// The background of icons that may not be transparent: the page's color in the light theme.
const CANVAS = '#fafafa';

// `share` is the width of the drawing relative to the image. A maskable icon may be cropped to a circle of 80 % of its
// width (https://www.w3.org/TR/appmanifest/#icon-masks); a square of 56 % fits into that circle.
const images = [
  { file: 'icon-192.png', size: 192, share: 1, background: 'transparent' },
  { file: 'icon-512.png', size: 512, share: 1, background: 'transparent' },
  { file: 'icon-maskable-512.png', size: 512, share: 0.56, background: CANVAS },
  { file: 'apple-touch-icon.png', size: 180, share: 0.7, background: CANVAS },
];

const executablePath = findOrInstallBrowser();
if (!executablePath) fail(NO_BROWSER);
const browser = await chromium.launch({ executablePath });
try {
  const page = await browser.newPage({ colorScheme: 'light' });
  for (const { file, size, share, background } of images) {
    writeFileSync(`public/${file}`, await draw(page, { size, share, background }));
  }
  writeFileSync(
    'public/favicon.ico',
    icon(await draw(page, { size: 32, share: 1, background: 'transparent' }), 32),
  );
} finally {
  await browser.close();
}

/**
 * @param {import('@playwright/test').Page} page
 * @param {{ size: number, share: number, background: string }} image
 */
async function draw(page, { size, share, background }) {
  const drawing = readFileSync('public/favicon.svg').toString('base64');
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>body{margin:0;block-size:100vh;display:grid;place-items:center;background:${background}}</style>
    <img src="data:image/svg+xml;base64,${drawing}" width="${size * share}" height="${size * share}">`);
  await page.waitForFunction(() =>
    [...document.images].every((image) => image.complete && image.naturalWidth > 0),
  );
  return page.screenshot({ omitBackground: true });
}

/**
 * An .ico file with one PNG image: a directory with one entry, then the image.
 * @param {Buffer} png
 * @param {number} size at most 255
 */
function icon(png, size) {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // an icon
  header.writeUInt16LE(1, 4); // of one image
  header.writeUInt8(size, 6);
  header.writeUInt8(size, 7);
  header.writeUInt16LE(1, 10); // color planes
  header.writeUInt16LE(32, 12); // bits per pixel
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

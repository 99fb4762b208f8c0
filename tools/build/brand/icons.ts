/** The icons of the site, drawn from its logo: an SVG, and images for old browsers, home screens and app launchers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import { canvasColors } from '../../../app/brand/colors.ts';
import { logo } from '../../../app/brand/logo.ts';
import { siteName } from '../../../app/site-name.ts';
import { hexOf } from './palette.ts';

/** The size of the logo's drawing. */
const GRID = 32;

/**
 * `share` is the width of the drawing relative to the image. A maskable icon may be cropped to a circle of 80 % of its
 * width (https://www.w3.org/TR/appmanifest/#icon-masks); a square of 56 % fits into that circle. Icons that may not be
 * transparent have the color of the page in the light theme.
 */
const images = [
  { file: 'icon-192.png', size: 192, share: 1, background: null },
  { file: 'icon-512.png', size: 512, share: 1, background: null },
  { file: 'icon-maskable-512.png', size: 512, share: 0.56, background: canvasColors.light },
  { file: 'apple-touch-icon.png', size: 180, share: 0.7, background: canvasColors.light },
];

/** Writes the icons to `folder`. Files that are the same already are left alone. */
export function writeIcons(folder: string): void {
  const files = [
    ['favicon.svg', Buffer.from(favicon())],
    ['favicon.ico', iconFile(draw({ size: 32, share: 1, background: null }), 32)],
    ...images.map((image) => [image.file, draw(image)] as const),
  ] as const;
  for (const [name, content] of files) {
    const path = join(folder, name);
    if (!isSame(path, content)) writeFileSync(path, content);
  }
}

function isSame(path: string, content: Buffer): boolean {
  try {
    return readFileSync(path).equals(content);
  } catch {
    return false;
  }
}

/** The logo as a file of its own, in the colors of the browser's theme. */
function favicon(): string {
  const rules = (step: 700 | 400) =>
    (['primary', 'secondary'] as const).map((color) => `.${color} { fill: ${hexOf(color, step)} }`).join(' ');
  const paths = logo.map(({ color, d }) => `  <path class="${color}" d="${d}" />\n`).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${GRID} ${GRID}">
  <title>${siteName.replaceAll('&', '&amp;')}</title>
  <style>
    ${rules(700)}
    @media (prefers-color-scheme: dark) { ${rules(400)} }
  </style>
${paths}</svg>
`;
}

type Drawing = { size: number; share: number; background: string | null };

function draw({ size, share, background }: Drawing): Buffer {
  const scale = (size * share) / GRID;
  const inset = (size * (1 - share)) / 2;
  const paths = logo.map(({ color, d }) => `<path fill="${hexOf(color, 700)}" d="${d}"/>`).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">${
    background === null ? '' : `<rect width="100%" height="100%" fill="${background}"/>`
  }<g transform="translate(${inset} ${inset}) scale(${scale})">${paths}</g></svg>`;
  return new Resvg(svg).render().asPng();
}

/** An .ico file with one PNG image: a directory with one entry, then the image. `size` is at most 255. */
function iconFile(png: Buffer, size: number): Buffer {
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

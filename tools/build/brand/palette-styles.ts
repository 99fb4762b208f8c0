/** The style sheet with the palettes of the site. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { canvasColors } from '../../../app/brand/colors.ts';
import { paletteProperties } from './palette.ts';

/** Writes the palettes as variables of Tailwind's theme, which leaves out those that no style uses. */
export function writePalette(target: string): void {
  const canvas = Object.entries(canvasColors).map(([theme, color]) => `--color-canvas-${theme}: ${color};`);
  const lines = [...paletteProperties('--color-brand-'), ...canvas].map((line) => `  ${line}\n`);
  mkdirSync(dirname(target), { recursive: true });
  const text = `@theme {\n${lines.join('')}}\n`;
  // In development Vite loads the page anew when the file is written.
  if (!existsSync(target) || readFileSync(target, 'utf8') !== text) writeFileSync(target, text);
}

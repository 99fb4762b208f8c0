/** The style sheet with the palettes of the site. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { canvasColors, colors } from '../../../app/brand/colors.ts';
import { paletteProperties, problemOfColor } from './palette.ts';

/**
 * Writes the palettes as variables of Tailwind's theme, which leaves out those that no style uses. Throws for a primary
 * color with which texts would be hard to read.
 */
export function writePalette(target: string): void {
  const problem = colors.primary.startsWith('#') ? problemOfColor(colors.primary) : undefined;
  if (problem !== undefined) throw new Error(`app/brand/colors.ts: ${problem}`);
  const canvas = Object.entries(canvasColors).map(([theme, color]) => `--color-canvas-${theme}: ${color};`);
  const lines = [...paletteProperties('--color-brand-'), ...canvas].map((line) => `  ${line}\n`);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `@theme {\n${lines.join('')}}\n`);
}

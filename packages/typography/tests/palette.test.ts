import { converter, wcagContrast } from 'culori';
import { describe, expect, it } from 'vitest';
import { canvasColors, colors } from '../../../app/brand/colors.ts';
import { hexOf, paletteOf, problemOfColor } from '../brand/palette.ts';

describe('a palette', () => {
  it('is that of Tailwind CSS for a name', () => {
    expect(paletteOf('violet')[700]).toBe('oklch(49.1% 0.27 292.581)');
  });

  it.each(['#0f766e', '#9d174d', '#1d4ed8', '#3f3f46'])(
    'of %s has that color as step 700, and gets darker',
    (color) => {
      const palette = paletteOf(color);
      expect(palette[700]).toBe(color);
      const contrasts = Object.values(palette).map((step) => wcagContrast(step, '#ffffff'));
      expect(contrasts).toEqual(contrasts.toSorted((one, next) => one - next));
      expect(problemOfColor(color)).toBeUndefined();
    },
  );

  it('of a dark teal is more vivid in a light step than in the color itself', () => {
    const palette = paletteOf('#0f766e');
    const chromaOf = (color: string) => converter('oklch')(color)?.c ?? 0;
    expect(chromaOf(palette[400])).toBeGreaterThan(chromaOf(palette[700]));
  });

  it('does not exist for another word', () => {
    expect(() => paletteOf('purplish')).toThrow('purplish is no palette of Tailwind CSS');
  });
});

describe('a color that is hard to read', () => {
  it.each(['#a16207', '#00ff00', '#ffffff'])('%s is rejected with a color that is not', (color) => {
    const advised = /(#[0-9a-f]{6}) has enough/.exec(problemOfColor(color) ?? '')?.[1] ?? '';
    expect(problemOfColor(advised)).toBeUndefined();
  });
});

describe('the colors of the site', () => {
  it.each([
    ['light', 700],
    ['dark', 400],
  ] as const)('can be read as text in the %s theme', (theme, step) => {
    for (const name of ['primary', 'secondary'] as const) {
      expect(wcagContrast(hexOf(name, step), canvasColors[theme]), colors[name]).toBeGreaterThan(4.5);
    }
  });
});

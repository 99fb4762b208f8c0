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

  it('of a teal is as vivid in light steps as sRGB allows', () => {
    const toOklch = converter('oklch');
    const [light, base] = [400, 700].map((step) => toOklch(paletteOf('#0f766e')[step as 400 | 700])?.c ?? 0);
    expect(light).toBeGreaterThan(base ?? 1);
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

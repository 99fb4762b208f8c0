import { converter, wcagContrast } from 'culori';
import { describe, expect, it } from 'vitest';
import { canvasColors, colors } from '../../../app/brand/colors.ts';
import { hexOf, paletteOf } from '../brand/palette.ts';

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

/** Colors `#rrggbb` that are the same in each run: a linear congruential generator. */
function seededColors(count: number): string[] {
  let state = 45;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return `#${(state >>> 8).toString(16).padStart(6, '0')}`;
  };
  return Array.from({ length: count }, next);
}

describe('the palette of any color', () => {
  it.each(['#b45309', '#facc15', '#00ff00', '#ffffff', '#000000', ...seededColors(200)])(
    'has enough contrast between texts and backgrounds: %s',
    (color) => {
      const palette = paletteOf(color);
      const pairs = {
        'link on the page': [palette[700], canvasColors.light],
        'white on a button': ['#ffffff', palette[700]],
        'white on a button under the pointer': ['#ffffff', palette[800]],
        'text in a soft area': [palette[800], palette[100]],
        'link on the dark page': [palette[400], canvasColors.dark],
        'link on a dark surface': [palette[400], paletteOf(colors.gray)[900]],
        'text on a button in the dark': [palette[950], palette[400]],
        'text on a button under the pointer in the dark': [palette[950], palette[300]],
      } as const;
      for (const [name, [text, background]] of Object.entries(pairs)) {
        expect(wcagContrast(text, background), name).toBeGreaterThanOrEqual(4.5);
      }
      const isReadable = wcagContrast(color, canvasColors.light) >= 4.5;
      if (isReadable) expect(palette[700]).toBe(color);
      else expect(wcagContrast(palette[700], canvasColors.light)).toBeLessThan(4.8);
    },
  );
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

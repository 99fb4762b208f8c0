/** Palettes of eleven steps from the colors of the site. For the build and the local cloud. */
import { clampChroma, converter, formatHex, wcagContrast } from 'culori';
import tailwindColors from 'tailwindcss/colors';
import { canvasColors, colors } from '../../../app/brand/colors.ts';

const STEPS = [50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 950] as const;
type Step = (typeof STEPS)[number];
/** CSS colors. */
export type Palette = Record<Step, string>;

const toOklch = converter('oklch');
const WHITE = '#ffffff';
/** Of normal text (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5;

/** The palette with this name in Tailwind CSS, or one whose step 700 is the color. Throws for anything else. */
export function paletteOf(color: string): Palette {
  const named = Object.entries(tailwindColors).find(([name]) => name === color)?.[1];
  if (typeof named === 'object') return named;
  if (!isHexColor(color))
    throw new Error(`${color} is no palette of Tailwind CSS and no color such as #0f766e.`);
  return paletteFrom(color);
}

/**
 * The light steps have the lightness of Tailwind's violet, and the dark ones its distance from step 700. Their chroma
 * changes as that of violet.
 */
function paletteFrom(hex: string): Palette {
  const color = toOklch(hex);
  const model = Object.entries(tailwindColors.violet).map(([step, css]) => ({ step, ...oklchOf(css) }));
  const anchor = oklchOf(tailwindColors.violet[700]);
  const base = oklchOf(hex);
  const steps = model.map(({ step, l, c }) => {
    const lightness = Number(step) < 600 ? l : Math.max(0.12, base.l + l - anchor.l);
    const wanted = { ...color, mode: 'oklch' as const, l: lightness, c: (base.c * c) / anchor.c };
    return [step, step === '700' ? hex : formatHex(clampChroma(wanted, 'oklch'))];
  });
  return Object.fromEntries(steps);
}

function oklchOf(css: string): { l: number; c: number } {
  const parsed = toOklch(css);
  if (!parsed) throw new Error(`${css} is no color.`);
  return parsed;
}

function isHexColor(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** A sentence about a color that cannot be the primary one: text in it or on it would be hard to read. */
export function problemOfColor(color: string): string | undefined {
  if (!isHexColor(color)) return `${color} is no color. Write it as #rrggbb, such as #0f766e.`;
  const palette = paletteFrom(color);
  const gray = paletteOf(colors.gray);
  const pairs = [
    [palette[700], canvasColors.light],
    [WHITE, palette[700]],
    [palette[800], palette[100]],
    [palette[400], canvasColors.dark],
    [palette[400], gray[900]],
    [palette[950], palette[400]],
  ] as const;
  const contrast = Math.min(...pairs.map(([text, background]) => wcagContrast(text, background)));
  if (contrast >= MIN_CONTRAST) return undefined;
  return `${color} has a contrast of ${contrast.toFixed(1)} where text needs ${MIN_CONTRAST}.${darkerAdvice(color)}`;
}

function darkerAdvice(color: string): string {
  const { l } = oklchOf(color);
  for (let lightness = l; lightness > 0.2; lightness -= 0.01) {
    const darker = formatHex(
      clampChroma({ ...toOklch(color), mode: 'oklch', l: lightness } as never, 'oklch'),
    );
    if (darker && wcagContrast(darker, canvasColors.light) >= MIN_CONTRAST + 0.1)
      return ` ${darker} has enough.`;
  }
  return '';
}

/** A step of a palette as `#rrggbb`, for programs that know no other notation. */
export function hexOf(name: keyof typeof colors, step: Step): string {
  return formatHex(paletteOf(colors[name])[step]) ?? '';
}

/** The declarations of all steps as custom properties: `--{prefix}{color}-{step}`. */
export function paletteProperties(prefix: string): string[] {
  return Object.entries(colors).flatMap(([name, color]) =>
    Object.entries(paletteOf(color)).map(([step, css]) => `${prefix}${name}-${step}: ${css};`),
  );
}

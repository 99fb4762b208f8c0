/** Palettes of eleven steps from the colors of the site. For the build and the local cloud. */
import { clampChroma, converter, formatHex, type Oklch, wcagContrast } from 'culori';
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
 * The light steps have the lightness of Tailwind's violet, and the dark ones its distance from step 700. Their chroma is
 * that of violet, or the largest that sRGB has there, times how near the color comes to it in step 700.
 */
function paletteFrom(hex: string): Palette {
  const base = oklchOf(hex);
  const anchor = oklchOf(tailwindColors.violet[700]);
  // Black has no chroma, whatever is wanted.
  const vividness = base.c / (chromaFor(base, anchor.c) || 1);
  const steps = Object.entries(tailwindColors.violet).map(([step, css]) => {
    const { l, c } = oklchOf(css);
    const color = { ...base, l: Number(step) < 600 ? l : Math.max(0.12, base.l + l - anchor.l) };
    const chroma = vividness * chromaFor(color, c);
    return [step, step === '700' ? hex : formatHex(clampChroma({ ...color, c: chroma }, 'oklch'))];
  });
  return Object.fromEntries(steps);
}

/** The wanted chroma, or the largest that sRGB has for this lightness and hue. */
function chromaFor(color: Oklch, wanted: number): number {
  return clampChroma({ ...color, c: wanted }, 'oklch').c;
}

function oklchOf(css: string): Oklch {
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
  const contrast = lowestContrast(color);
  if (contrast >= MIN_CONTRAST) return undefined;
  return `${color} has a contrast of ${contrast.toFixed(1)} where text needs ${MIN_CONTRAST}.${darkerAdvice(color)}`;
}

/** Of the pairs of text and background that have the primary color `#rrggbb`. */
function lowestContrast(color: string): number {
  const palette = paletteFrom(color);
  const pairs = [
    [palette[700], canvasColors.light],
    [WHITE, palette[700]],
    [palette[800], palette[100]],
    [palette[400], canvasColors.dark],
    [palette[400], paletteOf(colors.gray)[900]],
    [palette[950], palette[400]],
  ] as const;
  return Math.min(...pairs.map(([text, background]) => wcagContrast(text, background)));
}

function darkerAdvice(color: string): string {
  const base = oklchOf(color);
  for (let l = base.l; l > 0.2; l -= 0.01) {
    const darker = formatHex(clampChroma({ ...base, l }, 'oklch'));
    if (lowestContrast(darker) >= MIN_CONTRAST) return ` ${darker} has enough.`;
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

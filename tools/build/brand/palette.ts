/** Palettes of eleven steps from the colors of the site. For the build and the local cloud. */
import { clampChroma, converter, formatHex, type Oklch, wcagContrast } from 'culori';
import tailwindColors from 'tailwindcss/colors';
import { canvasColors, colors } from '../../../app/brand/colors.ts';

type Step = 50 | 100 | 200 | 300 | 400 | 500 | 600 | 700 | 800 | 900 | 950;
/** CSS colors. */
export type Palette = Record<Step, string>;

const toOklch = converter('oklch');
/** Of normal text (WCAG 2.2, 1.4.3). */
const MIN_CONTRAST = 4.5;

/** The palette with this name in Tailwind CSS, or one from the color. Throws for anything else. */
export function paletteOf(color: string): Palette {
  return namedPalette(color) ?? paletteFrom(baseOf(color));
}

function namedPalette(color: string): Palette | undefined {
  const named = Object.entries(tailwindColors).find(([name]) => name === color)?.[1];
  return typeof named === 'object' ? named : undefined;
}

/** Step 700: the color itself if it can be read on the page in the light theme, or the next darker one that can. */
function baseOf(color: string): string {
  if (!isHexColor(color))
    throw new Error(`${color} is no palette of Tailwind CSS and no color such as #0f766e.`);
  return readable(color, 'darker', [canvasColors.light]);
}

/** The steps, darker or lighter where they are texts or their backgrounds and the contrast would be too low. */
function paletteFrom(base: string): Palette {
  const step = (number: Step) => stepFrom(base, number);
  const surface = namedPalette(colors.gray)?.[900] ?? stepFrom(baseOf(colors.gray), 900);
  const onDark = readable(step(400), 'lighter', [canvasColors.dark, surface]);
  return {
    ...{ 50: step(50), 100: step(100), 200: step(200), 300: step(300), 400: onDark, 500: step(500) },
    ...{ 600: step(600), 700: base, 800: readable(step(800), 'darker', [step(100)]) },
    ...{ 900: step(900), 950: readable(step(950), 'darker', [onDark]) },
  };
}

/**
 * The light steps have the lightness of Tailwind's violet, and the dark ones its distance from step 700. Their chroma is
 * that of violet, or the largest that sRGB has there, times how near the color comes to it in step 700.
 */
function stepFrom(hex: string, step: Step): string {
  const base = oklchOf(hex);
  const anchor = oklchOf(tailwindColors.violet[700]);
  const { l, c } = oklchOf(tailwindColors.violet[step]);
  // Black has no chroma, whatever is wanted.
  const vividness = base.c / (chromaFor(base, anchor.c) || 1);
  const color = { ...base, l: step < 600 ? l : Math.max(0.12, base.l + l - anchor.l) };
  return hexFrom({ ...color, c: vividness * chromaFor(color, c) });
}

/** The color, or the next darker or lighter one with enough contrast to the backgrounds. */
function readable(hex: string, direction: 'darker' | 'lighter', backgrounds: readonly string[]): string {
  const color = oklchOf(hex);
  const step = direction === 'darker' ? -0.005 : 0.005;
  const isReadable = (text: string) =>
    backgrounds.every((background) => wcagContrast(text, background) >= MIN_CONTRAST);
  let found = hex;
  for (let l = color.l + step; !isReadable(found) && l > 0 && l < 1; l += step) {
    found = hexFrom({ ...color, l });
  }
  return found;
}

/** With the largest chroma that sRGB has, if it has not the wanted one. */
function hexFrom(color: Oklch): string {
  return formatHex(clampChroma(color, 'oklch'));
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

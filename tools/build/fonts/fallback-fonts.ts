/** Fonts of devices, scaled so that Latin text takes about the same space in them as in a family of the site. */
import { Blob, Face, Font, shape, Buffer as TextBuffer } from 'harfbuzzjs';

const SAMPLE =
  'Deleted when you sign out. Otherwise, your session ends after 30 days without a visit or one year after you sign in, whichever comes first. Your email address, a hash of your password, a user ID, and your name if you gave one. Other signed-in visitors can read the text, the time, and a short pseudonym, but not your user ID or email address.';

type DeviceFont = {
  /** Distinguishes the families of one font of the site. */
  suffix: string;
  /** Names for `local()` in CSS, and the width of the sample in ems, shaped by HarfBuzz. */
  regular: { names: readonly string[]; width: number };
  bold: { names: readonly string[]; width: number };
};

/** Arial and the equivalent Liberation Sans, and on Android Roboto. */
const deviceFonts: readonly DeviceFont[] = [
  {
    suffix: '',
    regular: { names: ['Arial', 'Liberation Sans'], width: 150.97 },
    bold: { names: ['Arial Bold', 'Liberation Sans Bold'], width: 162.28 },
  },
  {
    suffix: ' Roboto',
    regular: { names: ['Roboto'], width: 149.36 },
    bold: { names: ['Roboto Bold'], width: 151.99 },
  },
];

/** A font file of the site in one weight, as TrueType. */
export type Weights = { regular: Buffer; bold: Buffer };

/** The descriptors of the fallback faces of a family: two weights for each font of devices. */
export function fallbackFaces(name: string, { regular, bold }: Weights): Record<string, string>[] {
  return deviceFonts.flatMap((device) => {
    const family = `"${name} Fallback${device.suffix}"`;
    return [
      { 'font-family': family, 'font-weight': '1 599', ...scaled(device.regular, regular) },
      { 'font-family': family, 'font-weight': '600 1000', ...scaled(device.bold, bold) },
    ];
  });
}

/** `size-adjust` is the ratio of the widths of the sample. The heights are those of the font of the site. */
function scaled({ names, width }: DeviceFont['regular'], fontOfSite: Buffer): Record<string, string> {
  const face = new Face(new Blob(fontOfSite));
  const font = new Font(face);
  const { ascender, descender, lineGap } = font.hExtents();
  const ratio = widthOf(font, SAMPLE) / face.upem / width;
  const height = (units: number) => percent(units / face.upem / ratio);
  return {
    src: names.map((full) => `local("${full}")`).join(', '),
    'size-adjust': percent(ratio),
    'ascent-override': height(ascender),
    'descent-override': height(-descender),
    'line-gap-override': height(lineGap),
  };
}

function widthOf(font: Font, text: string): number {
  const buffer = new TextBuffer();
  buffer.addText(text);
  buffer.guessSegmentProperties();
  shape(font, buffer);
  return buffer.getGlyphInfosAndPositions().reduce((sum, { xAdvance = 0 }) => sum + xAdvance, 0);
}

function percent(ratio: number): string {
  return `${Math.round(ratio * 10_000) / 100}%`;
}

/** Devices with other fonts than this machine, for tests of text in many scripts. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fonts } from '../../../app/brand/fonts.ts';
import { locales } from '../../../app/i18n/locales.ts';
import { packageFile, toTrueType } from '../../../tools/build/fonts/subset-typeface.ts';
import { test as base } from './fixtures.ts';

/** One language for each script of the site. */
export const oneLocalePerScript = locales.filter(({ code }) =>
  ['en', 'ru', 'ar', 'hi', 'ja', 'zh'].includes(code),
);

const ASSETS = 'build/client/assets';

type DeviceOptions = {
  /**
   * The fonts that the device has installed, and their scale: those of the site by the beginning of the file name, and
   * complete ones by their file in a package of Fontsource.
   */
  installedFonts: Readonly<Record<string, number>>;
};

/** Where the table "head" has the size of the square that glyphs are drawn in. */
const UNITS_PER_EM = 18;

/** Tests in a browser on a device that has only these fonts. One font is needed to start a browser at all. */
export const test = base.extend<object, DeviceOptions>({
  installedFonts: [{ [`${fonts.text.file}-latin-`]: 1 }, { option: true, scope: 'worker' }],
  launchOptions: [
    async ({ installedFonts }, use, { project }) => {
      const folder = mkdtempSync(join(tmpdir(), 'device-fonts-'));
      const configuration = await writeFontconfig(folder, installedFonts);
      const env = { ...process.env, FONTCONFIG_FILE: configuration };
      await use({ ...project.use.launchOptions, env });
      rmSync(folder, { recursive: true });
    },
    { scope: 'worker' },
  ],
});

/** Writes a configuration of fontconfig with only these fonts, and returns its path. */
async function writeFontconfig(
  folder: string,
  installedFonts: DeviceOptions['installedFonts'],
): Promise<string> {
  const fontFolder = join(folder, 'fonts');
  mkdirSync(fontFolder);
  const assets = readdirSync(ASSETS).filter((name) => name.endsWith('.woff2'));
  for (const [name, scale] of Object.entries(installedFonts)) {
    const files = name.endsWith('.woff2')
      ? [packageFile(`@fontsource-variable/${name}`)]
      : assets.filter((file) => file.startsWith(name)).map((file) => join(ASSETS, file));
    for (const file of files) {
      const font = scaled(await toTrueType(readFileSync(file)), scale);
      writeFileSync(join(fontFolder, basename(file).replace('.woff2', '.ttf')), font);
    }
  }
  const configuration = join(folder, 'fonts.conf');
  writeFileSync(
    configuration,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
    <fontconfig><dir>${fontFolder}</dir><cachedir>${join(folder, 'cache')}</cachedir></fontconfig>`,
  );
  return configuration;
}

/** The font with larger or smaller glyphs. */
function scaled(font: Buffer, scale: number): Buffer {
  const result = Buffer.from(font);
  const count = result.readUInt16BE(4);
  const entries = Array.from({ length: count }, (_, index) => 12 + index * 16);
  const entry = entries.find((at) => result.toString('latin1', at, at + 4) === 'head') ?? 0;
  const position = result.readUInt32BE(entry + 8) + UNITS_PER_EM;
  result.writeUInt16BE(Math.round(result.readUInt16BE(position) / scale), position);
  return result;
}

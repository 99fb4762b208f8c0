/** Devices with other fonts than this machine, for tests of text in many scripts. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toTrueType } from '../../../scripts/fonts/subset-typeface.ts';
import { test as base } from './fixtures.ts';

const ASSETS = 'build/client/assets';

type DeviceOptions = {
  /** The fonts of the site that the device has installed, by the beginning of the file name. */
  installedFonts: readonly string[];
};

/** Tests in a browser on a device that has only these fonts. One font is needed to start a browser at all. */
export const test = base.extend<object, DeviceOptions>({
  installedFonts: [['dm-sans-latin-'], { option: true, scope: 'worker' }],
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
async function writeFontconfig(folder: string, installedFonts: readonly string[]): Promise<string> {
  const fonts = join(folder, 'fonts');
  mkdirSync(fonts);
  const isInstalled = (file: string) => installedFonts.some((name) => file.startsWith(name));
  for (const file of readdirSync(ASSETS)) {
    if (!file.endsWith('.woff2') || !isInstalled(file)) continue;
    writeFileSync(
      join(fonts, file.replace('.woff2', '.ttf')),
      await toTrueType(readFileSync(join(ASSETS, file))),
    );
  }
  const configuration = join(folder, 'fonts.conf');
  writeFileSync(
    configuration,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
    <fontconfig><dir>${fonts}</dir><cachedir>${join(folder, 'cache')}</cachedir></fontconfig>`,
  );
  return configuration;
}

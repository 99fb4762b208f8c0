/** The file with the licenses of everything that a build contains, which the site serves. */
import type { PackageLicense } from './package-license.ts';

const LINE = '-'.repeat(80);

/** Returns the text of the file: the license of the site, then those of the packages. Packages with one text share it. */
export function licenseFile(
  siteName: string,
  siteLicense: string,
  packages: readonly PackageLicense[],
): string {
  const byText = new Map<string, string[]>();
  for (const { name, version, license, text } of packages) {
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const sections = [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text}`);
  const introduction = 'The site contains code, fonts or icons of the following packages.';
  return `${[`${siteName}\n\n${siteLicense.trim()}`, introduction, ...sections].join(`\n\n${LINE}\n\n`)}\n`;
}

/** The name, version and license of an installed package. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export type PackageLicense = {
  name: string;
  version: string;
  /** An SPDX expression, as the package states it. */
  license: string;
  /** The texts of the package's own files; else its copyright notice and the standard texts of its license. */
  text: string;
};

const person = z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]);
const manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  author: person.optional(),
});

const TEXTS = 'tools/build/licenses/texts';
const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** Notices of packages that contain neither their license nor the name of its owner. */
const notices: Record<string, string> = {
  '@iconify-json/lucide':
    'Copyright (c) Lucide Contributors. Portions from Feather: Copyright (c) 2013-present Cole Bemis, MIT License.',
};

/** Reads the license of the package in a folder. Throws when `package.json` has none, or one without a text. */
export function readPackageLicense(folder: string): PackageLicense {
  const { name, version, license, author } = manifest.parse(
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
  );
  const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length > 0) return { name, version, license, text: texts.join('\n\n') };
  const notice = notices[name] ?? `Copyright (c) ${author ?? `the authors of ${name}`}`;
  return { name, version, license, text: [notice, ...standardTexts(license)].join('\n\n') };
}

function standardTexts(expression: string): string[] {
  const ids = expression.match(/[A-Za-z0-9.-]+/g) ?? [];
  const licenses = ids.filter((id) => !['AND', 'OR', 'WITH'].includes(id));
  return licenses.map((id) => readFileSync(join(TEXTS, `${id}.txt`), 'utf8').trim());
}

/** Writes the files of `app` that are generated, if they differ. Compilers and tests read them, so they are committed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateFiles } from './graphql-types.ts';
import { generateTextTypes, TEXT_TYPES } from './texts/text-types.ts';

/** Writes the types of the texts below `locales`. Returns the name of the file if it has changed. Throws if English is not JSON. */
export function writeTextTypes(locales: string): string[] {
  return writeChanged(TEXT_TYPES, generateTextTypes(locales));
}

/**
 * Writes the types of the operations. Resolves to the names of the files that have changed, and rejects when an operation does
 * not match the schema. Where the packages for development are not installed, the files stay as they are committed.
 */
export async function writeOperationTypes(): Promise<string[]> {
  try {
    const files = await generateFiles();
    return files.flatMap(({ path, text }) => writeChanged(relative('', fileURLToPath(path)), text));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return [];
    throw error;
  }
}

function writeChanged(path: string, text: string): string[] {
  if (readFileSync(path, { encoding: 'utf8', flag: 'a+' }) === text) return [];
  writeFileSync(path, text);
  return [path];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = [...writeTextTypes('public/locales'), ...(await writeOperationTypes())];
  for (const file of files) console.log(`${file} was out of date. It is written anew: commit it.`);
}

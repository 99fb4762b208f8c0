/** The file with the environment of the site, as `node --env-file`, `docker run --env-file` and `fly secrets import` read it. */
import { randomBytes } from 'node:crypto';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { CommandError } from './command/command-error.ts';

export type Variables = Readonly<Record<string, string>>;

const HEADER = `# Environment of the site, written by npm run aws:env. It contains secrets: do not commit it.`;
const KEPT_HEADER = '# Variables that were in the file before.';

/** The text of an existing file, or null. Rejects when the file cannot be read. */
export async function readEnvFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw new CommandError(
      `The file ${path} cannot be read. Check its permissions, or choose another one with --file.`,
    );
  }
}

/** The variables in the text of a file, as Node reads them. */
export function parseEnvFile(text: string): Variables {
  // A value is undefined only in the type.
  return parseEnv(text) as Record<string, string>;
}

/**
 * The text of the new file: `variables`, then the lines of `previous` with other variables, unchanged. Throws
 * `CommandError` when a value would not survive, for example because it spans several lines.
 */
export function formatEnvFile(variables: Variables, previous: string | null): string {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const kept = keptLines(previous ?? '', variables);
  const text = [HEADER, ...lines, ...(kept.length > 0 ? ['', KEPT_HEADER, ...kept] : []), ''].join('\n');
  const expected = { ...parseEnvFile(previous ?? ''), ...variables };
  const written = parseEnvFile(text);
  const lost = Object.keys(expected).filter((name) => expected[name] !== written[name]);
  if (lost.length === 0) return text;
  throw new CommandError(
    `The values of ${lost.join(', ')} cannot be written on one line without quotes, so nothing was written. Change them, or choose another file with --file.`,
  );
}

function keptLines(text: string, variables: Variables): string[] {
  return text.split(/\r?\n/).filter((line) => {
    const name = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/.exec(line)?.[1];
    return name !== undefined && !(name in variables);
  });
}

/**
 * Writes a file that only its owner can read, at once: other processes see the whole file or none. Rejects with
 * `CommandError` when it exists and `replaces` is false, or the folder is not writable.
 */
export async function writeEnvFile(
  path: string,
  text: string,
  { replaces }: { replaces: boolean },
): Promise<void> {
  const temporary = join(dirname(path), `.env.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    await file.writeFile(text);
    await file.sync();
    await file.close();
    // Unlike a renamed file, a link never replaces one that was created in the meantime.
    await (replaces ? rename(temporary, path) : link(temporary, path));
  } catch (error) {
    if (hasCode(error, 'EEXIST'))
      throw new CommandError(`The file ${path} exists already. Nothing was written.`);
    throw new CommandError(
      `The file ${path} cannot be written. Check the folder, or choose another file with --file.`,
    );
  } finally {
    await rm(temporary, { force: true });
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

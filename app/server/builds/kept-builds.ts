/**
 * The assets of the last builds, kept so that pages which are still open find the code they were made for. A build is
 * kept when it is first started, under names that hold its content's hash: builds share what they have in common.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../observability/log.ts';

const recordSchema = z.object({ id: z.string(), startedAt: z.number(), files: z.array(z.string()) });
type BuildRecord = z.infer<typeof recordSchema>;

export type KeptBuildsOptions = {
  buildId: string;
  /** Where this build's own assets are. */
  assets: string;
  /** Holds `assets/` with the files of all kept builds and `builds/{id}.json` with what belongs to which. */
  directory: string;
  /** How many builds before this one are kept; 0 keeps none. */
  keep: number;
  /** Now, in milliseconds. */
  now: number;
  log: Pick<Log, 'info' | 'warn'>;
};

/**
 * Adds this build to those that are kept and forgets all but the last `keep` before it. Never throws: a directory that
 * cannot be written is logged, and the site goes on with its own assets.
 */
export async function keepBuild({
  buildId,
  assets,
  directory,
  keep,
  now,
  log,
}: KeptBuildsOptions): Promise<void> {
  if (keep === 0) return;
  try {
    const files = await readdir(assets);
    for (const folder of ['assets', 'builds', 'unfinished']) {
      await mkdir(join(directory, folder), { recursive: true });
    }
    await copyMissing(assets, directory, files);
    const record: BuildRecord = { id: buildId, startedAt: now, files };
    await appear(directory, join(directory, 'builds', `${buildId}.json`), (unfinished) =>
      writeFile(unfinished, JSON.stringify(record)),
    );
    const forgotten = await forgetOld(directory, keep + 1);
    log.info({ buildId, forgotten }, 'this build’s assets are kept for later');
  } catch (error) {
    log.warn({ err: error, directory }, 'the assets of earlier builds cannot be kept');
  }
}

async function copyMissing(from: string, directory: string, files: readonly string[]): Promise<void> {
  const to = join(directory, 'assets');
  const present = new Set(await readdir(to));
  for (const file of files.filter((name) => !present.has(name))) {
    await appear(directory, join(to, file), (unfinished) => copyFile(join(from, file), unfinished));
  }
}

/**
 * A file that appears at `path` whole or not at all, since several machines may share the directory. Until then it is
 * in a folder that nobody lists or serves, under a name that no other machine takes, whatever its process ids are.
 */
async function appear(
  directory: string,
  path: string,
  write: (path: string) => Promise<void>,
): Promise<void> {
  const unfinished = join(directory, 'unfinished', randomUUID());
  try {
    await write(unfinished);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Keeps the `count` builds that were started last, and the files that any of them has. */
async function forgetOld(directory: string, count: number): Promise<string[]> {
  const records = (await readRecords(directory)).sort((a, b) => b.startedAt - a.startedAt);
  const needed = new Set(records.slice(0, count).flatMap((record) => record.files));
  const forgotten = records.slice(count);
  for (const file of new Set(forgotten.flatMap((record) => record.files))) {
    if (!needed.has(file)) await rm(join(directory, 'assets', file), { force: true });
  }
  for (const { id } of forgotten) await rm(join(directory, 'builds', `${id}.json`), { force: true });
  return forgotten.map(({ id }) => id);
}

async function readRecords(directory: string): Promise<BuildRecord[]> {
  const names = (await readdir(join(directory, 'builds'))).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(join(directory, 'builds', name), 'utf8')));
  return texts.map((text) => recordSchema.parse(JSON.parse(text)));
}

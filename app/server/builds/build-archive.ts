/**
 * Keeps the client-side assets of recent builds, so that pages which were loaded before a deployment can still load
 * their chunks. A build is archived at its first start. Asset names contain a hash of the content, so builds share
 * equal files.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@tenfold/site-server';
import { z } from 'zod';

const recordSchema = z.object({ id: z.string(), startedAt: z.number(), files: z.array(z.string()) });
type BuildRecord = z.infer<typeof recordSchema>;

export type ArchiveOptions = {
  buildId: string;
  /** The directory with this build's own assets. */
  assets: string;
  /** The archive: `assets/` holds the files of all archived builds, `builds/{id}.json` lists the files of each build. */
  directory: string;
  /** How many earlier builds to keep; with 0, nothing is archived. */
  keep: number;
  /** The current time in milliseconds. */
  now: number;
  log: Pick<Log, 'info' | 'warn'>;
};

/**
 * Adds this build to the archive and removes all but the last `keep` earlier builds. Never rejects: a failure is logged,
 * and the site serves only the assets of this build.
 */
export async function archiveBuild({
  buildId,
  assets,
  directory,
  keep,
  now,
  log,
}: ArchiveOptions): Promise<void> {
  if (keep === 0) return;
  try {
    const files = await readdir(assets);
    for (const folder of ['assets', 'builds', 'unfinished']) {
      await mkdir(join(directory, folder), { recursive: true });
    }
    await copyMissing(assets, directory, files);
    const record: BuildRecord = { id: buildId, startedAt: now, files };
    await writeAtomically(directory, join(directory, 'builds', `${buildId}.json`), (path) =>
      writeFile(path, JSON.stringify(record)),
    );
    const removed = await removeOldBuilds(directory, keep + 1);
    log.info({ buildId, removed }, 'build archived');
  } catch (error) {
    log.warn({ err: error, directory }, 'archiving the build failed');
  }
}

async function copyMissing(from: string, directory: string, files: readonly string[]): Promise<void> {
  const to = join(directory, 'assets');
  const existing = new Set(await readdir(to));
  for (const file of files.filter((name) => !existing.has(name))) {
    await writeAtomically(directory, join(to, file), (path) => copyFile(join(from, file), path));
  }
}

/**
 * Writes a temporary file and renames it to `path`, so that other machines with the same directory never serve or read
 * an incomplete file.
 */
async function writeAtomically(
  directory: string,
  path: string,
  write: (path: string) => Promise<void>,
): Promise<void> {
  const temporary = join(directory, 'unfinished', randomUUID());
  try {
    await write(temporary);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Keeps the `count` builds that were started last, and their files. Returns the ids of the removed builds. */
async function removeOldBuilds(directory: string, count: number): Promise<string[]> {
  const records = (await readRecords(directory)).sort((a, b) => b.startedAt - a.startedAt);
  const needed = new Set(records.slice(0, count).flatMap((record) => record.files));
  const old = records.slice(count);
  for (const file of new Set(old.flatMap((record) => record.files))) {
    if (!needed.has(file)) await rm(join(directory, 'assets', file), { force: true });
  }
  for (const { id } of old) await rm(join(directory, 'builds', `${id}.json`), { force: true });
  return old.map(({ id }) => id);
}

async function readRecords(directory: string): Promise<BuildRecord[]> {
  const names = (await readdir(join(directory, 'builds'))).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(join(directory, 'builds', name), 'utf8')));
  return texts.map((text) => recordSchema.parse(JSON.parse(text)));
}

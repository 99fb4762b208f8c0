/** Other sites' figures, to be printed beside the site's own. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The tables that the report of a folder of measured peers prints, `tools/report.mjs` there. Throws when the folder has
 * none, or none of its peers has been measured.
 */
export function reportOfPeers(folder: string): string {
  const report = join(folder, 'tools', 'report.mjs');
  if (!existsSync(report)) throw new Error(`PEERS: ${folder} has no tools/report.mjs.`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [report], { encoding: 'utf8' });
  const tables = stdout.trim();
  if (status !== 0 || tables === '') {
    throw new Error(`PEERS: the report of ${folder} failed; have its peers been measured?\n${stderr.trim()}`);
  }
  return tables;
}

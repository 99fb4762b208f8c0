/** A process as a whole: its start, its memory, and the bytes of a first view. */
import { findOrInstallBrowser } from '../../../scripts/setup/browser.mjs';
import { residentMebibytes } from '../load/cpu-time.ts';
import { format, spread } from '../load/statistics.ts';
import { measureFirstView } from './first-view.ts';
import { sendMixedTraffic } from './mixed-traffic.ts';
import type { Report } from './report.ts';
import type { Settings } from './settings.ts';
import type { Sites } from './sites.ts';

export type Start = { firstPageMs: number; mebibytes: number };

/** Starts the build in `directory`, notes time and memory at its first page, and stops it. */
export async function measureStart(sites: Sites, directory?: string): Promise<Start> {
  const site = await sites.start(directory);
  const mebibytes = residentMebibytes(site.pid);
  await site.stop();
  return { firstPageMs: site.firstPageMs, mebibytes };
}

/** Adds the rows of the start. */
export async function measureStarts(sites: Sites, { starts }: Settings, report: Report): Promise<void> {
  const measured: Start[] = [];
  for (let start = 0; start < starts; start++) measured.push(await measureStart(sites));
  const times = measured.map(({ firstPageMs }) => firstPageMs);
  const sizes = measured.map(({ mebibytes }) => mebibytes);
  report.add('First page after the start of the process', format(spread(times), 0, ' ms'));
  report.add('… memory at that time', format(spread(sizes), 0, ' MiB'));
}

/** Adds the rows of the memory after mixed traffic, and after the same amount again. */
export async function measureMemory(sites: Sites, settings: Settings, report: Report): Promise<void> {
  const site = await sites.start();
  await sendMixedTraffic(site, settings);
  const first = residentMebibytes(site.pid);
  await sendMixedTraffic(site, settings);
  const second = residentMebibytes(site.pid);
  await site.stop();
  report.add(`Memory after ${settings.mixedRequests} mixed requests`, `${first.toFixed(0)} MiB`);
  report.add('… after as many again, of that', `${(second / first).toFixed(2)} ×`);
}

/** Adds the rows of the bytes that a browser loads. */
export async function measureFirstViewBytes(sites: Sites, report: Report): Promise<void> {
  const browser = findOrInstallBrowser();
  if (!browser) return report.add('First view of /fr', 'no browser was found');
  const site = await sites.start();
  const { view, client } = await measureFirstView(`${site.origin}/fr`, browser);
  await site.stop();
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  for (const [kind, bytes] of Object.entries(view)) {
    report.add(`First view of /fr: ${kind.toLowerCase()}`, kilobytes(bytes));
  }
  report.add('… all scripts, loaded at the first interaction', kilobytes(client));
}

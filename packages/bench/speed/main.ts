/**
 * Measures the built site and prints one table: `npm run bench`. With `--quick` it takes less than two minutes; with
 * `--compare DIR` it measures this build and the one in DIR in turn, and prints ratios: with `--only TEXT` those of the
 * figures whose name contains the text.
 */
import { compareBuilds } from './comparison.ts';
import { measureAnonymousPage, measureSignedInPage } from './page-figures.ts';
import { measureFirstViewBytes, measureMemory, measureStarts } from './process-figures.ts';
import { measureProxy } from './proxy-figures.ts';
import { createReport, describeRun } from './report.ts';
import { parseCommandLine } from './settings.ts';
import { startSites } from './sites.ts';

const { settings, compareWith, only } = parseCommandLine(process.argv.slice(2));
const sites = await startSites();
const report = createReport();
if (compareWith === null) {
  for (const coding of settings.codings) await measureAnonymousPage(coding, sites, settings, report);
  for (const coding of settings.codings) await measureSignedInPage(coding, sites, settings, report);
  await measureProxy(sites, settings, report);
  await measureStarts(sites, settings, report);
  await measureMemory(sites, settings, report);
  if (settings.measuresFirstView) await measureFirstViewBytes(sites, report);
} else {
  await compareBuilds(compareWith, only, sites, settings, report);
}
await sites.stop();
const title = compareWith === null ? '' : `this build, of the one in ${compareWith}`;
process.stdout.write(`\n${describeRun(settings)}\n\n${report.table(title)}\n`);

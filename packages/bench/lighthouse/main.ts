/**
 * `npm run lighthouse [-- --runs N] [PATH...]` prints the scores of Lighthouse on a phone, for these paths or for every
 * page in every language: the median of N runs. The site runs behind nginx with the configuration of `deploy/nginx`, so
 * the browser uses TLS and HTTP/2 as in production. Exits with 1 when a score is below 100. Needs a build.
 */
import { parseArgs } from 'node:util';
import { locales, localizePath } from '../../../app/i18n/locales.ts';
import { pages } from '../../../app/pages.ts';
import { findOrInstallBrowser, NO_BROWSER } from '../../../scripts/setup/browser.mjs';
import { fail } from '../../../scripts/setup/setup.mjs';
import { hasNginx } from '../../../tests/support/processes/nginx.ts';
import { startSiteBehindNginx } from '../../../tests/support/processes/site-behind-nginx.ts';
import { startLocalCloud } from '../../local-cloud/start.ts';
import { measure, type Scores } from './measure.ts';

const everyPath = locales.flatMap((locale) => pages.map(({ slug }) => localizePath(`/${slug}`, locale)));
const { values, positionals } = readArguments();
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) fail('--runs must be a positive whole number.');
const paths = positionals.length > 0 ? positionals : everyPath;
const unknown = paths.find((path) => !everyPath.includes(path));
if (unknown !== undefined)
  fail(`The site has no page at ${unknown}. A page is, for example, ${everyPath.at(-1)}`);
if (!hasNginx) fail('nginx and openssl must be installed.');
const browser = findOrInstallBrowser() ?? fail(NO_BROWSER);

const cloud = await startLocalCloud();
const { origin, stop } = await startSiteBehindNginx((appOrigin) => cloud.environment({ appOrigin }));
for (const path of paths) {
  const results: Scores[] = [];
  while (results.length < runs) results.push(await measure(origin + path, browser));
  const medians = Object.keys(results[0] ?? {}).map((category) => [category, medianOf(results, category)]);
  console.log(`${path}  ${medians.map(([category, score]) => `${category} ${score}`).join(', ')}`);
  if (medians.some(([, score]) => score !== 100)) process.exitCode = 1;
}
await stop();
await cloud.close();

function readArguments() {
  try {
    return parseArgs({ options: { runs: { type: 'string', default: '1' } }, allowPositionals: true });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function medianOf(results: readonly Scores[], category: string): number {
  const sorted = results.map((scores) => scores[category] ?? 0).sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** One run of Lighthouse. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail } from '../../../scripts/setup/setup.mjs';

/** It is not a dependency, because it has 200 packages that nothing else needs. */
const LIGHTHOUSE = 'lighthouse@12.8.2';
const MAX_ATTEMPTS = 3;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Scores between 0 and 100 by category. */
export type Scores = Record<string, number>;

/** The members of a report that are used here. Scores are between 0 and 1. */
type Report = {
  runtimeError?: { code: string };
  categories: Record<string, { title: string; score: number }>;
};

/** Returns the scores of the page at `url`. `browser` is the path of Chromium or Chrome. */
export async function measure(url: string, browser: string): Promise<Scores> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const { runtimeError, categories } = await runLighthouse(url, browser);
    if (!runtimeError) {
      return Object.fromEntries(
        Object.values(categories).map(({ title, score }) => [title, Math.round(score * 100)]),
      );
    }
    // Chromium's recording of a page sometimes lacks its start.
    console.error(`Lighthouse failed with ${runtimeError.code} for ${url}.`);
  }
  return fail(`Lighthouse failed ${MAX_ATTEMPTS} times for ${url}.`);
}

async function runLighthouse(url: string, browser: string): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'lighthouse-'));
  // Standard output may end in the middle of a report.
  const file = join(folder, 'report.json');
  const sandbox = process.getuid?.() === 0 ? ' --no-sandbox' : '';
  const flags = `--chrome-flags=--headless --ignore-certificate-errors${sandbox}`;
  const args = ['--yes', LIGHTHOUSE, url, '--quiet', '--output=json', `--output-path=${file}`, flags];
  // Exits with 1 when a page could not be measured. The report says why.
  const problem = await runNpx(args, { ...process.env, CHROME_PATH: browser });
  const report = existsSync(file) ? readFileSync(file, 'utf8') : null;
  rmSync(folder, { recursive: true });
  return report === null ? fail(problem) : JSON.parse(report);
}

/** Returns what the command wrote to standard error. */
function runNpx(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    execFile('npx', args, { env, maxBuffer: MAX_OUTPUT_BYTES }, (_error, _output, problem) =>
      resolve(problem),
    );
  });
}

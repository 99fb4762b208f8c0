/** One run of Lighthouse. */
import { execFile } from 'node:child_process';
import { fail } from '../setup/setup.mjs';

/** It is not a dependency, because it has 200 packages that nothing else needs. */
const LIGHTHOUSE = 'lighthouse@12.8.2';
const MAX_ATTEMPTS = 3;

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

function runLighthouse(url: string, browser: string): Promise<Report> {
  const sandbox = process.getuid?.() === 0 ? ' --no-sandbox' : '';
  const flags = `--chrome-flags=--headless --ignore-certificate-errors${sandbox}`;
  const options = { env: { ...process.env, CHROME_PATH: browser }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(
      'npx',
      ['--yes', LIGHTHOUSE, url, '--quiet', '--output=json', flags],
      options,
      (_error, output, problem) => resolve(output ? JSON.parse(output) : fail(problem)),
    );
  });
}

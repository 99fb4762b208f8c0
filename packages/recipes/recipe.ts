import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningSite } from './running-site.ts';

export type Recipe = {
  /** The argument of `npm run recipes`. */
  name: string;
  /** The heading of its section in docs/make-it-yours.md. */
  title: string;
  /** Recipes that are applied first. */
  needs?: readonly string[];
  /** A locale that the recipe adds as a copy of English. */
  newLocale?: string;
  /** Throws when the running site does not show the effect of the recipe. */
  check(site: RunningSite): Promise<void>;
};

/** Requests a page without cookies and compares the status. Returns the body. */
export async function expectPage(site: RunningSite, path: string, status = 200): Promise<string> {
  const response = await site.visitor().request(path, { headers: { accept: 'text/html' } });
  assert.equal(response.status, status, `GET ${path}`);
  return response.body;
}

/** Throws when a script of the build contains `text`. */
export function assertNotInBuild(build: string, text: string): void {
  const files = readdirSync(build, { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((file) => file.endsWith('.js'))
    .filter((file) => readFileSync(join(build, file), 'utf8').includes(text));
  assert.deepEqual(found, []);
}

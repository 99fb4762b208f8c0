import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InfraSource } from '@tenfold/local-cloud';
import { onTestFinished } from 'vitest';
import { readInfra } from '../../../../tools/cloud-sources.ts';

/** The infrastructure of the site. */
export const siteInfra = readInfra();

const RESOLVER = 'export function request() { return {}; }\nexport function response() { return null; }\n';

/**
 * Returns an infrastructure for one test, read from a folder like `infra`. `resolvers` are the texts of its files by name,
 * `resources` is added to the resources of the template, and `replaced` are texts of the template with other ones.
 */
export function createInfra({
  schema = 'type Query { test: String }',
  resolvers = { 'Query.test.js': RESOLVER },
  resources = '',
  replaced = {},
}: {
  schema?: string;
  resolvers?: Record<string, string>;
  resources?: string;
  replaced?: Record<string, string>;
}): InfraSource {
  const root = mkdtempSync(join(tmpdir(), 'infra-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'infra');
  mkdirSync(join(folder, 'resolvers'), { recursive: true });
  writeFileSync(join(root, 'schema.graphql'), schema);
  let template = readFileSync('infra/template.yaml', 'utf8');
  for (const [text, other] of Object.entries({
    ...replaced,
    '\nResources:\n': `\nResources:\n${resources}`,
  })) {
    if (!template.includes(text)) throw new Error(`The template does not contain ${text}`);
    template = template.replace(text, () => other);
  }
  writeFileSync(join(folder, 'template.yaml'), template);
  for (const [name, text] of Object.entries(resolvers)) writeFileSync(join(folder, 'resolvers', name), text);
  return readInfra(folder);
}

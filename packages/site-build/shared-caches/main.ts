/**
 * Writes the key of a page into the configurations of the caches in front of the site, between two marks. Run
 * `npm run edge:config` after adding a page, a theme or a language; a test fails when a file is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pageKeyRules } from '../../../app/server/page-cache/page-cache-key.ts';
import { cloudFrontFunction } from './cloudfront.ts';
import { nginxKey } from './nginx.ts';
import { varnishKey } from './varnish.ts';

const BEGIN = 'Begin of what `npm run edge:config` writes';
const END = 'End of what `npm run edge:config` writes';

export type ConfigurationFile = { path: string; text: string };

/** The files of the repository with the key as the code has it now. */
export function generateConfigurations(): ConfigurationFile[] {
  const rules = pageKeyRules();
  return [
    replaceKey('deploy/varnish/default.vcl', varnishKey(rules)),
    replaceKey('deploy/nginx/tenfold.conf', nginxKey(rules)),
    replaceKey('infra/template.yaml', indent(cloudFrontFunction(rules), 8)),
  ];
}

function indent(text: string, spaces: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(spaces));
}

/** The file with `text` between the line of the begin and that of the end. Throws if the marks are missing. */
function replaceKey(path: string, text: string): ConfigurationFile {
  const current = readFileSync(path, 'utf8');
  const pattern = new RegExp(`(^[^\\n]*${BEGIN}\\n).*?(^[^\\n]*${END}$)`, 'ms');
  if (!pattern.test(current)) throw new Error(`${path} has no marks for the key.`);
  return { path, text: current.replace(pattern, (_all, begin, end) => begin + text + end) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, text } of generateConfigurations()) {
    writeFileSync(path, text);
    console.log(path);
  }
}

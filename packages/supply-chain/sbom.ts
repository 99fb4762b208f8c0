/** `npm run -s sbom`: prints the software bill of materials as CycloneDX in JSON. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { bomSchema, keepProduction } from './sbom/production-components.ts';

const command = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
const output = execFileSync('npm', command, {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'ignore'],
});
const bom = keepProduction(bomSchema.parse(JSON.parse(output)), readFileSync('package-lock.json', 'utf8'));
console.log(JSON.stringify(bom, null, 2));

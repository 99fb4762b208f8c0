/**
 * `npm run mutation -- [AREA ...]`: changes the code of each area at one place after another and runs the tests
 * of the area each time. Fails when a change survives that security/mutation.json does not explain, when a verdict there
 * is out of date, and when the tests find less than 92 % of the changes that make a difference.
 */
import { readFileSync } from 'node:fs';
import { areas } from './areas.ts';
import { runArea } from './run-area.ts';
import { type AreaResult, compareSurvivors, MIN_SCORE, parseSurvivors, scoreOf } from './survivors.ts';

const FILE = 'security/mutation.json';

const names = process.argv.slice(2);
const unknown = names.filter((name) => !areas.some((area) => area.name === name));
if (unknown.length > 0) {
  console.error(`Unknown area: ${unknown.join(', ')}. Areas: ${areas.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const verdicts = parseSurvivors(readFileSync(FILE, 'utf8'));
const rows: string[] = [];
for (const area of areas.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const startedAt = Date.now();
  const mutants = await runArea(area);
  const ownVerdicts = verdicts.filter(({ file }) => area.sources.includes(file));
  const result = compareSurvivors(mutants, ownVerdicts, (file) => readFileSync(file, 'utf8'));
  const problems = problemsOf(result);
  if (problems.length > 0) {
    process.exitCode = 1;
    console.error(`\n${area.name}:\n${problems.join('\n')}\n`);
  }
  rows.push(toRow(area.name, result, Date.now() - startedAt));
}
console.log('| area | mutants | killed | equivalent | accepted | raw score | score | time |');
console.log('|---|---|---|---|---|---|---|---|');
console.log(rows.join('\n'));

function problemsOf(result: AreaResult): string[] {
  const { adjusted } = scoreOf(result);
  const list = (entries: readonly object[]) =>
    entries.map((entry) => JSON.stringify(entry, null, 2)).join(',\n');
  return [
    ...(adjusted < MIN_SCORE ? [`The score is ${percent(adjusted)}, below ${percent(MIN_SCORE)}.`] : []),
    ...(result.unjudged.length > 0 ? [`Survivors without a verdict in ${FILE}:`, list(result.unjudged)] : []),
    ...(result.outdated.length > 0 ? [`Verdicts that match no survivor:`, list(result.outdated)] : []),
  ];
}

function toRow(name: string, result: AreaResult, ms: number): string {
  const { raw, adjusted } = scoreOf(result);
  const { mutants, killed, equivalent, accepted } = result;
  const cells = [mutants, killed, equivalent, accepted, percent(raw), percent(adjusted)];
  return `| ${name} | ${cells.join(' | ')} | ${Math.round(ms / 1000)} s |`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

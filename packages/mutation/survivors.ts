/** Compares the mutants that survived the tests of an area with security/mutation.json. */
import { z } from 'zod';

/** `equivalent`: no test can tell the mutant from the code. `accepted`: a test could, but is not worth its price. */
const survivorSchema = z.strictObject({
  file: z.string(),
  /** The line of the code, and what the mutant makes of it. */
  line: z.string(),
  mutant: z.string(),
  verdict: z.enum(['equivalent', 'accepted']),
  reason: z.string().min(20),
});
const fileSchema = z.strictObject({ $comment: z.string(), survivors: z.array(survivorSchema) });

export type Survivor = z.infer<typeof survivorSchema>;

/** A mutant in the result of Stryker. Lines and columns start at 1. */
export type Mutant = {
  fileName: string;
  location: { start: { line: number; column: number }; end: { line: number; column: number } };
  replacement: string;
  status: string;
};

type ChangedLine = Pick<Survivor, 'file' | 'line' | 'mutant'>;

export type AreaResult = {
  /** Valid mutants, without those that do not run at all. */
  mutants: number;
  killed: number;
  /** The survivors that are judged, by verdict. */
  equivalent: number;
  accepted: number;
  /** Survivors without a verdict. */
  unjudged: ChangedLine[];
  /** Verdicts about mutants that do not exist or that a test kills. */
  outdated: Survivor[];
};

/** The fates of mutants in the result of Stryker. A mutant that does not even compile or start counts for nothing. */
const KILLED = new Set(['Killed', 'Timeout']);
const SURVIVED = new Set(['Survived', 'NoCoverage']);

/** At least this share of the mutants that are not equivalent must be killed. */
export const MIN_SCORE = 0.92;

/** Parses the text of security/mutation.json. Throws a `ZodError` for any other text. */
export function parseSurvivors(text: string): Survivor[] {
  return fileSchema.parse(JSON.parse(text)).survivors;
}

/**
 * Compares the mutants of an area with the verdicts about its files. Each verdict is for one mutant: two equal mutants
 * of equal lines need two. `readSource` returns the text of a file that was mutated.
 */
export function compareSurvivors(
  mutants: readonly Mutant[],
  verdicts: readonly Survivor[],
  readSource: (file: string) => string,
): AreaResult {
  const outdated = [...verdicts];
  const unjudged: ChangedLine[] = [];
  const counts = { mutants: 0, killed: 0, equivalent: 0, accepted: 0 };
  for (const mutant of mutants) {
    const isKilled = KILLED.has(mutant.status);
    if (!isKilled && !SURVIVED.has(mutant.status)) continue;
    counts.mutants += 1;
    if (isKilled) {
      counts.killed += 1;
      continue;
    }
    const found = describeMutant(mutant, readSource(mutant.fileName));
    const index = outdated.findIndex((entry) => isSame(entry, found));
    const [verdict] = index < 0 ? [] : outdated.splice(index, 1);
    if (verdict) counts[verdict.verdict] += 1;
    else unjudged.push(found);
  }
  return { ...counts, unjudged, outdated };
}

/** Returns the share of killed mutants among all (raw) and among those that are not equivalent (adjusted). */
export function scoreOf({
  mutants,
  killed,
  equivalent,
}: Pick<AreaResult, 'mutants' | 'killed' | 'equivalent'>): {
  raw: number;
  adjusted: number;
} {
  return { raw: killed / mutants, adjusted: killed / (mutants - equivalent) };
}

/** Returns the line that a mutant changes, before and after. Of several lines it shows the first and the last. */
function describeMutant(
  { fileName, location: { start, end }, replacement }: Mutant,
  source: string,
): ChangedLine {
  const lines = source.split('\n');
  const first = lines[start.line - 1] ?? '';
  const last = lines[end.line - 1] ?? '';
  const line = start.line === end.line ? first : `${first} … ${last.trim()}`;
  const mutant = first.slice(0, start.column - 1) + replacement + last.slice(end.column - 1);
  return { file: fileName, line: oneLine(line), mutant: oneLine(mutant) };
}

function isSame(a: ChangedLine, b: ChangedLine): boolean {
  return a.file === b.file && a.line === b.line && a.mutant === b.mutant;
}

function oneLine(code: string): string {
  return code.replace(/\s+/g, ' ').trim();
}

/** The result of a check. */
import { accountProblems } from './account-problems.ts';
import { configurationProblems } from './configuration-problems.ts';
import { fillIn, type PlaceholdersOf } from './problem.ts';
import { serviceProblems } from './service-problems.ts';

/** Every known problem by its code. */
export const problems = { ...configurationProblems, ...serviceProblems, ...accountProblems };

export type ProblemCode = keyof typeof problems;

type Texts<Code extends ProblemCode> = (typeof problems)[Code]['message'] | (typeof problems)[Code]['fix'];

/** The values that the texts of a problem need. */
type ValuesOf<Code extends ProblemCode> = Record<PlaceholdersOf<Texts<Code>>, string | number>;

export type Finding =
  | { status: 'ok' | 'not checked'; message: string }
  | { status: 'failure' | 'warning'; code: ProblemCode; message: string; fix: string };

/** A check ended early, with this finding. */
export class FindingError extends Error {
  override readonly name = 'FindingError';

  constructor(readonly finding: Finding) {
    super(finding.message);
  }
}

export function ok(message: string): Finding {
  return { status: 'ok', message };
}

/** `reason` is a whole sentence. */
export function notChecked(reason: string): Finding {
  return { status: 'not checked', message: reason };
}

/** Returns the finding for a known problem, with the values for its texts. */
export function problem<Code extends ProblemCode>(code: Code, values: ValuesOf<Code>): Finding {
  const { severity, message, fix } = problems[code];
  return { status: severity, code, message: fillIn(message, values), fix: fillIn(fix, values) };
}

/** The known problems as rows of a Markdown table. */
export function printProblemTable(): string {
  const rows = Object.entries(problems).map(
    ([code, { severity, message, fix }]) => `| \`${code}\` | ${severity} | ${message} | ${fix} |`,
  );
  return ['| code | severity | problem | fix |', '|---|---|---|---|', ...rows].join('\n');
}

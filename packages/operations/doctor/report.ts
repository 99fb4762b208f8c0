/** Prints the results of the checks, without secrets. */
import type { Finding } from './findings/finding.ts';
import type { CheckResult } from './findings/run-checks.ts';

export type Report = {
  add(result: CheckResult): void;
  /** Prints the summary. Returns the exit code: 1 after a failure, else 0. */
  finish(): 0 | 1;
};

type Status = Finding['status'];
type Print = (text: string) => void;

const STATUSES: readonly Status[] = ['failure', 'warning', 'not checked', 'ok'];
const STATUS_WIDTH = 'not checked'.length + 2;
const COLORS: Record<Status, number> = { failure: 31, warning: 33, 'not checked': 2, ok: 32 };

/** Prints each result in a line as soon as it is known, and the fix of a problem below it. */
export function createTextReport(print: Print, { colors }: { colors: boolean }): Report {
  const found: Status[] = [];
  let group = '';
  const paint = (status: Status) => {
    const text = status.padEnd(STATUS_WIDTH);
    return colors ? `\x1b[${COLORS[status]}m${text}\x1b[0m` : text;
  };
  return {
    add({ group: nextGroup, check, finding }) {
      found.push(finding.status);
      if (group !== nextGroup) print(`\n${nextGroup}\n`);
      group = nextGroup;
      const code = 'code' in finding ? ` [${finding.code}]` : '';
      print(`  ${paint(finding.status)}${check}: ${finding.message}${code}\n`);
      if ('fix' in finding) print(`  ${' '.repeat(STATUS_WIDTH)}Fix: ${finding.fix}\n`);
    },
    finish() {
      const counts = STATUSES.map((status) => `${found.filter((one) => one === status).length} ${status}`);
      print(`\n${counts.join(', ')}\n`);
      return found.includes('failure') ? 1 : 0;
    },
  };
}

/** Prints one JSON object with all results at the end. */
export function createJsonReport(print: Print): Report {
  const results: CheckResult[] = [];
  return {
    add: (result) => void results.push(result),
    finish() {
      const flat = results.map(({ group, check, finding }) => ({ group, check, ...finding }));
      const healthy = !flat.some(({ status }) => status === 'failure');
      print(`${JSON.stringify({ healthy, results: flat }, null, 2)}\n`);
      return healthy ? 0 : 1;
    },
  };
}

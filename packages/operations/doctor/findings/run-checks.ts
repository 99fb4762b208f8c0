import { isTimeout, untilAborted } from '../../../../app/server/resilience/deadline.ts';
import { type Finding, FindingError, problem } from './finding.ts';

/** One question to a service. */
export type Check = {
  /** What is checked, such as `Client secret`. */
  name: string;
  /** Rejects with a `FindingError` to end early. The signal aborts at the deadline. */
  run(signal: AbortSignal): Promise<Finding | readonly Finding[]>;
};

/** Checks that depend on each other. They run one after the other, the groups at the same time. */
export type CheckGroup = { title: string; checks: readonly Check[] };

export type CheckResult = { group: string; check: string; finding: Finding };

/**
 * Runs all checks and yields their results in the order of the groups, each as soon as it is known. A check that fails
 * or exceeds the deadline yields a result too: this never throws.
 */
export async function* runChecks(
  groups: readonly CheckGroup[],
  deadlineMs: number,
): AsyncGenerator<CheckResult> {
  const started = groups.map(({ title, checks }) => ({
    title,
    results: startInSequence(checks, deadlineMs),
  }));
  for (const { title, results } of started) {
    for (const { check, findings } of results) {
      for (const finding of await findings) yield { group: title, check, finding };
    }
  }
}

function startInSequence(checks: readonly Check[], deadlineMs: number) {
  let previous: Promise<unknown> = Promise.resolve();
  return checks.map((check) => {
    const findings = previous.then(() => runCheck(check, deadlineMs));
    previous = findings;
    return { check: check.name, findings };
  });
}

async function runCheck({ run }: Check, deadlineMs: number): Promise<readonly Finding[]> {
  try {
    const signal = AbortSignal.timeout(deadlineMs);
    const found = await untilAborted(run(signal), signal);
    return [found].flat();
  } catch (error) {
    return [toFinding(error, deadlineMs)];
  }
}

function toFinding(error: unknown, deadlineMs: number): Finding {
  if (error instanceof FindingError) return error.finding;
  const reason = isTimeout(error)
    ? `no result within ${deadlineMs / 1000} seconds`
    : `${error}`.split('\n', 1)[0];
  return problem('check-unfinished', { reason: reason ?? '' });
}

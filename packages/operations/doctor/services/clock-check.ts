import { type Finding, notChecked, ok, problem } from '../findings/finding.ts';
import type { Check } from '../findings/run-checks.ts';
import type { Service } from './service.ts';

/** The site compensates a drift of at most this much when it verifies tokens (`user-pool/token-verifier.ts`). */
const MAX_DRIFT_SECONDS = 15 * 60;
const ACCURATE_SECONDS = 60;

/** Compares the clock of this machine with the `Date` header of the last reply of a service. */
export function createClockCheck(service: Service): Check {
  return { name: 'Clock', run: async () => assessClock(service) };
}

function assessClock({ name, clockOffset }: Service): Finding {
  const offset = clockOffset();
  const service = name.replace(/^The/, 'the');
  if (offset === null) return notChecked(`No response of ${service} states the time.`);
  const seconds = Math.round(Math.abs(offset) / 1000);
  if (seconds > MAX_DRIFT_SECONDS) return problem('clock-wrong', { seconds, service });
  if (seconds > ACCURATE_SECONDS) return problem('clock-inaccurate', { seconds, service });
  return ok(`The clock of this machine agrees with ${service}.`);
}

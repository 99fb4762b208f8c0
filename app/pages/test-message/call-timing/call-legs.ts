/** The legs of a data API call, and their layout on a bar that represents the total time. */

import type { CallLeg, CallTiming, FailedCallTiming } from '@tenfold/appsync-proxy';
import type { IconName } from '~/icons/built-in-icons.ts';

/** In the order of a call with one attempt. Legs with `isRemote` wait for another server. */
export const callLegs = [
  { name: 'session', icon: 'lucide:cookie', isRemote: false },
  { name: 'identity', icon: 'lucide:id-card', isRemote: true },
  { name: 'sign', icon: 'lucide:signature', isRemote: false },
  { name: 'upstream', icon: 'lucide:database', isRemote: true },
  { name: 'pause', icon: 'lucide:timer', isRemote: false },
] as const satisfies readonly { name: CallLeg; icon: IconName; isRemote: boolean }[];

type LegState = 'done' | 'failed' | 'not-reached';

export type PlacedLeg = (typeof callLegs)[number] & {
  ms: number;
  state: LegState;
  /** Position on the bar, in percent. */
  start: number;
  /** Length on the bar, in percent. */
  length: number;
};

/** In milliseconds. A call without a pause has no leg for it. */
const MIN_PAUSE = 1;

/** Very short legs stay visible. */
const MIN_LENGTH = 1.5;

/** Places the legs one after the other, in proportion to their durations. `total` is in milliseconds. */
export function layOutLegs(timing: CallTiming | FailedCallTiming): {
  legs: readonly PlacedLeg[];
  total: number;
} {
  const shown = callLegs.filter(({ name }) => name !== 'pause' || timing.pause >= MIN_PAUSE);
  const total = shown.reduce((sum, { name }) => sum + timing[name], 0);
  const percent = (ms: number) => (total > 0 ? (ms / total) * 100 : 0);
  let elapsed = 0;
  const legs = shown.map((leg) => {
    const ms = timing[leg.name];
    const length = Math.max(percent(ms), MIN_LENGTH);
    const start = Math.min(percent(elapsed), 100 - length);
    elapsed += ms;
    const state = stateOfLeg(leg.name, timing);
    return { ...leg, ms, state, start: roundToTenths(start), length: roundToTenths(length) };
  });
  return { legs, total };
}

/** Whether a call ended without a result. */
export function isFailed(timing: CallTiming | FailedCallTiming): timing is FailedCallTiming {
  return 'failedLeg' in timing;
}

function stateOfLeg(leg: CallLeg, timing: CallTiming | FailedCallTiming): LegState {
  if (!isFailed(timing) || leg === 'pause') return 'done';
  const { failedLeg } = timing;
  const indexOf = (wanted: CallLeg) => callLegs.findIndex(({ name }) => name === wanted);
  const index = indexOf(leg);
  const failedIndex = failedLeg === null ? 0 : indexOf(failedLeg);
  if (index > failedIndex) return 'not-reached';
  return index === failedIndex && failedLeg !== null ? 'failed' : 'done';
}

function roundToTenths(value: number): number {
  return Math.round(value * 10) / 10;
}

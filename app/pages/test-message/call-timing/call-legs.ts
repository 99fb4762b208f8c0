/** The legs of a data API call, and their layout on a bar that represents the total time. */
import type { IconName } from '~/icons/built-in-icons.ts';
import type { CallLeg, CallTiming, FailedCallTiming } from '../../../server/data-api/call-timing.ts';

/** In the order of the call. Legs with `isRemote` wait for another server. */
export const callLegs = [
  { name: 'session', icon: 'lucide:cookie', isRemote: false },
  { name: 'identity', icon: 'lucide:id-card', isRemote: true },
  { name: 'sign', icon: 'lucide:signature', isRemote: false },
  { name: 'upstream', icon: 'lucide:database', isRemote: true },
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

/** Very short legs stay visible. */
const MIN_LENGTH = 1.5;

/** Places the legs one after the other, in proportion to their durations. `total` is in milliseconds. */
export function layOutLegs(timing: CallTiming | FailedCallTiming): {
  legs: readonly PlacedLeg[];
  total: number;
} {
  const total = callLegs.reduce((sum, { name }) => sum + timing[name], 0);
  const percent = (ms: number) => (total > 0 ? (ms / total) * 100 : 0);
  let elapsed = 0;
  const legs = callLegs.map((leg, index) => {
    const ms = timing[leg.name];
    const length = Math.max(percent(ms), MIN_LENGTH);
    const start = Math.min(percent(elapsed), 100 - length);
    elapsed += ms;
    const state = stateOfLeg(index, timing);
    return { ...leg, ms, state, start: roundToTenths(start), length: roundToTenths(length) };
  });
  return { legs, total };
}

/** Whether a call ended without a result. */
export function isFailed(timing: CallTiming | FailedCallTiming): timing is FailedCallTiming {
  return 'failedLeg' in timing;
}

function stateOfLeg(index: number, timing: CallTiming | FailedCallTiming): LegState {
  if (!isFailed(timing)) return 'done';
  const { failedLeg } = timing;
  const failedIndex = failedLeg === null ? 0 : callLegs.findIndex(({ name }) => name === failedLeg);
  if (index > failedIndex) return 'not-reached';
  return index === failedIndex && failedLeg !== null ? 'failed' : 'done';
}

function roundToTenths(value: number): number {
  return Math.round(value * 10) / 10;
}

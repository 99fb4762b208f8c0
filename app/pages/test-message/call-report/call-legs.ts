/** Where the legs of a call lie on a line that stands for all of its time. Pure. */
import type { IconName } from '~/icons/built-in-icons.ts';
import type { CallTiming } from '~/pages/test-message/message-outcome.ts';

/** In the order in which a call takes them; `isRemote` ones wait for another machine. */
export const callLegs = [
  { name: 'session', icon: 'lucide:cookie', isRemote: false },
  { name: 'identity', icon: 'lucide:id-card', isRemote: true },
  { name: 'sign', icon: 'lucide:signature', isRemote: false },
  { name: 'upstream', icon: 'lucide:database', isRemote: true },
] as const satisfies readonly { name: keyof CallTiming; icon: IconName; isRemote: boolean }[];

export type PlacedLeg = (typeof callLegs)[number] & {
  ms: number;
  /** Percent of the line before it, and of the line that it takes. */
  start: number;
  length: number;
};

/** What took next to no time still shows. */
const MIN_LENGTH = 1.5;

/** The legs one after the other, in proportion, and how long all took together in milliseconds. */
export function layOutLegs(timing: CallTiming): { legs: readonly PlacedLeg[]; total: number } {
  const total = callLegs.reduce((sum, { name }) => sum + timing[name], 0);
  const percent = (ms: number) => (total > 0 ? (ms / total) * 100 : 0);
  let passed = 0;
  const legs = callLegs.map((leg) => {
    const ms = timing[leg.name];
    const length = Math.max(percent(ms), MIN_LENGTH);
    const start = Math.min(percent(passed), 100 - length);
    passed += ms;
    return { ...leg, ms, start: tenths(start), length: tenths(length) };
  });
  return { legs, total };
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

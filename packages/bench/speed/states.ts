/** Measures contenders in two states of the same processes: fresh, and after mixed traffic. */
import { type Contender, measureRounds, type Round, warmUp } from '../load/rounds.ts';
import { sendMixedTraffic } from './mixed-traffic.ts';
import type { Settings } from './settings.ts';
import type { MeasuredSite } from './sites.ts';

/** `fresh`: the process has served nothing but the measured request. */
export const STATES = ['fresh', 'mixed'] as const;
export type State = (typeof STATES)[number];

export type StateRounds<Name extends string> = Record<State, Round<Name>[]>;

/**
 * Measures all contenders in both states. `sites` are those of them that receive the mixed traffic; `afterRounds` can
 * measure more in each state.
 */
export async function measureStates<Name extends string>(
  contenders: Record<Name, Contender>,
  sites: readonly MeasuredSite[],
  settings: Settings,
  afterRounds: (state: State) => Promise<void> = async () => {},
): Promise<StateRounds<Name>> {
  const measureState = async (state: State) => {
    await warmUp(Object.values(contenders), settings.warmUpSeconds);
    const rounds = await measureRounds(contenders, settings);
    await afterRounds(state);
    return rounds;
  };
  const fresh = await measureState('fresh');
  for (const site of sites) {
    const failed = await sendMixedTraffic(site, settings);
    // A failed request costs less than one that succeeds.
    if (failed.requests > 0) throw new Error(`${failed.requests} requests of the mixed traffic failed.`);
  }
  return { fresh, mixed: await measureState('mixed') };
}

/** Repeats a measurement with new processes and joins the rounds. */
export async function measureProcesses<Name extends string>(
  processes: number,
  measureOnce: () => Promise<StateRounds<Name>>,
): Promise<StateRounds<Name>> {
  const all: StateRounds<Name> = { fresh: [], mixed: [] };
  for (let started = 0; started < processes; started++) {
    const { fresh, mixed } = await measureOnce();
    all.fresh.push(...fresh);
    all.mixed.push(...mixed);
  }
  return all;
}

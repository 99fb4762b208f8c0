/** The table of figures. */
import { cpus } from 'node:os';
import { generatorName } from '../load/rounds.ts';
import { format, spread } from '../load/statistics.ts';
import type { Settings } from './settings.ts';
import { STATES, type State } from './states.ts';

export type Report = ReturnType<typeof createReport>;

/** Collects rows, and shows each of them on stderr as soon as it is known. */
export function createReport() {
  const rows: string[] = [];
  const add = (...cells: string[]) => {
    const row = `| ${cells.join(' | ')} |`;
    rows.push(row);
    process.stderr.write(`${row}\n`);
  };
  type ValuesOf = (state: State) => readonly number[];
  const addStates = (name: string, valuesOf: ValuesOf, digits: number, unit = '') =>
    add(name, ...STATES.map((state) => format(spread(valuesOf(state)), digits, unit)));
  return {
    /** A figure of one value that does not depend on the state of a process. */
    add: (name: string, figure: string) => add(name, figure, ''),
    /** A figure for each state, as median and range of its values. */
    addStates,
    /** Returns a function that adds a figure of these rounds for each state. */
    figuresOf:
      <Round>(rounds: Record<State, readonly Round[]>) =>
      (name: string, of: (round: Round) => number, digits: number, unit?: string) =>
        addStates(name, (state) => rounds[state].map(of), digits, unit),
    /** The table in Markdown. */
    table: (firstColumn: string) =>
      [`| ${firstColumn} | fresh | after mixed traffic |`, '|---|---|---|', ...rows].join('\n'),
  };
}

/** Describes the run: date, machine, load and settings. */
export function describeRun({ rounds, roundSeconds, processes, mixedRequests, signUps }: Settings): string {
  const [processor] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return [
    `${date}, Node ${process.version}, ${cpus().length} processors (${processor?.model.trim() ?? 'unknown'}), ${process.platform}.`,
    `Load: ${generatorName}.`,
    `Median (smallest–largest) of ${rounds} interleaved rounds of ${roundSeconds} s in each state; the anonymous page: of ${processes} process${processes === 1 ? '' : 'es'}.`,
    `Mixed traffic: ${mixedRequests} requests and ${signUps} complete sign-ups in the same process.`,
  ].join('\n');
}

/** The command line of `npm run bench`. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export type Settings = {
  /** Interleaved rounds in each state of a process. */
  rounds: number;
  roundSeconds: number;
  warmUpSeconds: number;
  /** Processes started one after the other for the anonymous page. V8 optimizes the same code differently by chance. */
  processes: number;
  /** Requests of mixed traffic between the fresh and the second state. */
  mixedRequests: number;
  /** Complete sign-ups during the mixed traffic. */
  signUps: number;
  starts: number;
  directCalls: number;
  codings: readonly Coding[];
  /** Whether a browser measures the bytes of a first view. */
  measuresFirstView: boolean;
};

export type Coding = 'br' | 'gzip';

const FULL: Settings = {
  rounds: 5,
  roundSeconds: 2,
  warmUpSeconds: 10,
  processes: 2,
  mixedRequests: 20_000,
  signUps: 20,
  starts: 5,
  directCalls: 400,
  codings: ['br', 'gzip'],
  measuresFirstView: true,
};

const QUICK: Settings = {
  rounds: 3,
  roundSeconds: 1,
  warmUpSeconds: 2,
  processes: 1,
  mixedRequests: 5000,
  signUps: 5,
  starts: 2,
  directCalls: 100,
  codings: ['br'],
  measuresFirstView: false,
};

/** Parses `--quick`, `--compare DIR` and `--only TEXT`. Throws when DIR holds no build. */
export function parseCommandLine(args: readonly string[]): {
  settings: Settings;
  compareWith: string | null;
  only: string;
} {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      compare: { type: 'string' },
      only: { type: 'string', default: '' },
    },
  });
  const compareWith = values.compare === undefined ? null : resolve(values.compare);
  if (compareWith !== null && !existsSync(join(compareWith, 'build/server/server.js'))) {
    throw new Error(`${compareWith} has no build/server/server.js. Run "npm run build" there first.`);
  }
  return { settings: values.quick ? QUICK : FULL, compareWith, only: values.only };
}

/** Interleaved rounds: every contender is measured once per round, so that a disturbance affects all of them alike. */
import { findProgram } from '../../../scripts/setup/installed-programs.mjs';
import { generateLoad, type LoadResult } from './built-in-generator.ts';
import { cpuMilliseconds } from './cpu-time.ts';
import type { BenchRequest } from './http-request.ts';
import type { Server } from './servers.ts';
import { runWrk } from './wrk.ts';

export const CONNECTIONS = 16;

export type Contender = { server: Pick<Server, 'port' | 'pid'>; request: BenchRequest };

/** What one contender did in one round. */
type Measurement = {
  /** CPU time of the server per request, user and system, in microseconds. */
  cpuMicros: number;
  perSecond: number;
};

export type Round<Name extends string> = Record<Name, Measurement>;

const wrk = findProgram(['wrk']);

/** What generates the load, for the report. */
export const generatorName =
  wrk === null ? 'the built-in load generator (wrk is not installed)' : `wrk (${wrk})`;

/** Measures every contender once per round, one after the other. */
export async function measureRounds<Name extends string>(
  contenders: Record<Name, Contender>,
  { rounds, roundSeconds }: { rounds: number; roundSeconds: number },
): Promise<Round<Name>[]> {
  const results: Round<Name>[] = [];
  for (let round = 0; round < rounds; round++) {
    const measured: Partial<Round<Name>> = {};
    for (const name in contenders) measured[name] = await measure(contenders[name], roundSeconds);
    results.push(measured as Round<Name>); // The loop above has set every name.
  }
  return results;
}

/** Loads every contender for some seconds, so that its code is compiled before it is measured. */
export async function warmUp(contenders: readonly Contender[], seconds: number): Promise<void> {
  for (const { server, request } of contenders) await sendRepeatedly(server.port, request, seconds);
}

async function measure({ server, request }: Contender, seconds: number): Promise<Measurement> {
  const before = cpuMilliseconds(server.pid);
  const { responses, failed, seconds: elapsed } = await sendRepeatedly(server.port, request, seconds);
  const used = cpuMilliseconds(server.pid) - before;
  if (failed > 0) throw new Error(`${failed} of ${responses} requests for ${request.path} failed.`);
  return { cpuMicros: (used * 1000) / responses, perSecond: responses / elapsed };
}

function sendRepeatedly(port: number, request: BenchRequest, seconds: number): Promise<LoadResult> {
  const connections = CONNECTIONS;
  if (wrk !== null) return runWrk(wrk, port, request, { connections, seconds });
  return generateLoad({ port, requests: [request], connections, until: { ms: seconds * 1000 } });
}

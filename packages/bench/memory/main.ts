/**
 * Sends a million mixed requests to the built site under the memory limit of the machine in `fly.toml`, and prints its
 * memory and CPU time: `npm run bench -- --memory`. `--requests N` sends fewer, `--node-options OPTIONS` replaces
 * NODE_OPTIONS of the image. Exits with 1 when a request failed or the kernel killed the process.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cpuMilliseconds, peakResidentMebibytes, residentMebibytes } from '../load/cpu-time.ts';
import { sendMixedTraffic } from '../speed/mixed-traffic.ts';
import { startSites } from '../speed/sites.ts';
import { createLimitedGroup } from './limited-group.ts';

const ROUND = { mixedRequests: 50_000, signUps: 50 };
const CONNECTIONS = 100;

const { values } = parseArgs({
  options: {
    memory: { type: 'boolean' },
    requests: { type: 'string', default: '1000000' },
    'node-options': { type: 'string' },
  },
});
const rounds = Math.max(1, Math.round(Number(values.requests) / ROUND.mixedRequests));
const limit = readValue('fly.toml', /^ *memory = "(\d+)mb"$/m);
const nodeOptions = values['node-options'] ?? readValue('Dockerfile', /\bNODE_OPTIONS=(\S+)/);

const group = createLimitedGroup(Number(limit));
const sites = await startSites();
const site = await sites.start('.', {
  launcher: group.launcher,
  // Requests are counted as in production, and none is rejected.
  environment: { RATE_LIMIT_SCALE: '1000', NODE_OPTIONS: nodeOptions },
});
const startedAt = performance.now();
const failed = { requests: 0, signUps: 0 };
const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(0);
print(
  'requests',
  'seconds',
  'failed',
  'CPU per request',
  'resident now',
  'resident at most',
  'group at most',
);
print('---:', '---:', '---:', '---:', '---:', '---:', '---:');
for (let round = 1; round <= rounds; round++) {
  const cpuBefore = cpuMilliseconds(site.pid);
  const failures = await sendMixedTraffic(site, ROUND, CONNECTIONS).catch(stopWithReason);
  failed.requests += failures.requests;
  failed.signUps += failures.signUps;
  const cpu = `${((cpuMilliseconds(site.pid) - cpuBefore) / ROUND.mixedRequests).toFixed(2)} ms`;
  const resident = [residentMebibytes(site.pid), peakResidentMebibytes(site.pid), group.peakMebibytes()];
  const sizes = resident.map((size) => `${size.toFixed(0)} MiB`);
  print(String(round * ROUND.mixedRequests), seconds(), String(failed.requests), cpu, ...sizes);
}
const kills = group.kills();
process.stdout.write(`\n${describeRun()}\n`);
await site.stop();
await sites.stop();
group.remove();
process.exitCode = failed.requests + kills === 0 ? 0 : 1;

function print(...cells: string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

function describeRun(): string {
  const heap = ['-p', 'v8.getHeapStatistics().heap_size_limit / 1024 / 1024'];
  const [program = '', ...args] = [...group.launcher, process.execPath, ...heap];
  const env = { ...process.env, NODE_OPTIONS: nodeOptions };
  const heapLimit = Number(execFileSync(program, args, { encoding: 'utf8', env })).toFixed(0);
  return [
    `${new Date().toISOString().slice(0, 10)}, Node ${process.version}.`,
    `Limit: ${limit} MiB without swap. NODE_OPTIONS: ${nodeOptions || 'none'}. Node limits its heap to ${heapLimit} MiB there.`,
    `${CONNECTIONS} connections, ${rounds * ROUND.signUps} complete sign-ups, of which ${failed.signUps} failed.`,
    `Failed requests: ${failed.requests}. Killed processes: ${kills}.`,
  ].join('\n');
}

function readValue(file: string, pattern: RegExp): string {
  const value = pattern.exec(readFileSync(file, 'utf8'))?.[1];
  if (value === undefined) throw new Error(`${file} does not contain ${pattern}.`);
  return value;
}

function stopWithReason(error: Error): never {
  process.stderr.write(
    `${error.message}. After ${seconds()} s the kernel has killed ${group.kills()} processes; the group used at most ${group.peakMebibytes().toFixed(0)} MiB.\n`,
  );
  process.exit(1);
}

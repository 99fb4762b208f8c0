/** The load generator wrk (https://github.com/wg/wrk, Debian package `wrk`). */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LoadResult } from './built-in-generator.ts';
import type { BenchRequest } from './http-request.ts';

const execute = promisify(execFile);

/** Sends one request repeatedly for whole seconds with the wrk at `program`. Rejects when a connection breaks. */
export async function runWrk(
  program: string,
  port: number,
  { method = 'GET', path, host, headers, body = '' }: BenchRequest,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'wrk-'));
  const script = join(folder, 'request.lua');
  // Lua's long brackets need no escapes.
  writeFileSync(script, `wrk.method = "${method}"\n${body === '' ? '' : `wrk.body = [==[${body}]==]\n`}`);
  // wrk adds a `Host` of its own unless it finds one with a capital H.
  const headerOptions = Object.entries({ Host: host, ...headers }).flatMap(([name, value]) => [
    '-H',
    `${name}: ${value}`,
  ]);
  const load = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '30s', '-s', script];
  try {
    const { stdout } = await execute(program, [...load, ...headerOptions, `http://127.0.0.1:${port}${path}`]);
    return readWrkOutput(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60 };

/** Reads what wrk prints. Throws when it reports a broken connection or timeout. `failed` is every status above 399. */
export function readWrkOutput(output: string): LoadResult {
  const total = /(\d+) requests in ([\d.]+)(ms|s|m)/.exec(output);
  const errors = /Socket errors: .*/.exec(output)?.[0];
  if (!total || errors) throw new Error(`wrk: ${errors ?? output}`);
  const [, requests, time, unit = 's'] = total;
  return {
    responses: Number(requests),
    failed: Number(/Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0),
    seconds: Number(time) * (UNITS[unit] ?? 1),
  };
}

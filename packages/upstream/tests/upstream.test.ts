import { describe, expect, it } from 'vitest';
import { createLog } from '../../site-server/src/log/log.ts';
import { createUpstream } from '../src/upstream.ts';
import { UpstreamError } from '../src/upstream-error.ts';

const { signal } = new AbortController();
const options = { signal, logFields: {} };
const down = new UpstreamError('data-api', 'NetworkError', 'down');

function openUpstream() {
  const lines: string[] = [];
  const events: string[] = [];
  const upstream = createUpstream({
    service: 'data-api',
    maxConcurrent: 1,
    maxQueued: 0,
    clock: () => 0,
    log: createLog('warn', { write: (line) => void lines.push(line) }),
    sleep: async () => {},
    metrics: {
      retried: (service) => void events.push(`retried ${service}`),
      circuitChanged: (service, isOpen) => void events.push(`circuit of ${service} open: ${isOpen}`),
      shed: (service) => void events.push(`shed ${service}`),
    },
  });
  return { upstream, lines, events };
}

describe('an upstream', () => {
  it('retries, and logs each retry with the fields of the call', async () => {
    const { upstream, lines, events } = openUpstream();
    let attempts = 0;
    const attempt = async () => {
      attempts += 1;
      if (attempts < 3) throw down;
      return 'result';
    };
    expect(await upstream.call(attempt, { signal, logFields: { requestId: 'r-1' } })).toBe('result');
    expect(events).toEqual(['retried data-api', 'retried data-api']);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', msg: 'upstream call retried', service: 'data-api', attempt: 1, requestId: 'r-1' },
      { level: 'warn', msg: 'upstream call retried', service: 'data-api', attempt: 2, requestId: 'r-1' },
    ]);
  });

  it('counts all attempts of a call as one failure for the circuit breaker', async () => {
    const { upstream, events } = openUpstream();
    let attempts = 0;
    const attempt = () => {
      attempts += 1;
      return Promise.reject(down);
    };
    for (let call = 0; call < 5; call += 1) {
      await expect(upstream.call(attempt, options)).rejects.toBe(down);
    }
    await expect(upstream.call(attempt, options)).rejects.toMatchObject({ code: 'CircuitOpen' });
    expect(attempts).toBe(15);
    expect(events).toContain('circuit of data-api open: true');
  });

  it('does not retry an error that the call declares final', async () => {
    const { upstream, events } = openUpstream();
    const call = upstream.call(() => Promise.reject(down), { ...options, isRetryable: () => false });
    await expect(call).rejects.toBe(down);
    expect(events).toEqual([]);
  });

  it('holds one slot of the concurrency limit during all attempts', async () => {
    const { upstream, events } = openUpstream();
    let finish = (_result: string) => {};
    const first = upstream.call(() => new Promise<string>((resolve) => (finish = resolve)), options);
    await expect(upstream.call(async () => 'second', options)).rejects.toMatchObject({ code: 'Overloaded' });
    finish('first');
    expect(await first).toBe('first');
    expect(events).toEqual(['shed data-api']);
  });
});

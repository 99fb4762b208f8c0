import { describe, expect, it } from 'vitest';
import { readWrkOutput } from '../../load/wrk.ts';

const output = (lines: string) => `Running 2s test @ http://127.0.0.1:3000/
  1 threads and 16 connections
${lines}Requests/sec:  31530.11
Transfer/sec:    267.53MB
`;

describe('the output of wrk', () => {
  it('contains the number of responses and the time', () => {
    const text = output('  63381 requests in 2.01s, 537.80MB read\n');
    expect(readWrkOutput(text)).toEqual({ responses: 63_381, failed: 0, seconds: 2.01 });
  });

  it('counts responses with an error status as failed', () => {
    const text = output('  100 requests in 990.00ms, 1.00MB read\n  Non-2xx or 3xx responses: 7\n');
    expect(readWrkOutput(text)).toEqual({ responses: 100, failed: 7, seconds: 0.99 });
  });

  it('throws when connections broke or timed out', () => {
    const text = output(
      '  100 requests in 2.00s, 1.00MB read\n  Socket errors: connect 0, read 3, write 0, timeout 0\n',
    );
    expect(() => readWrkOutput(text)).toThrow('Socket errors: connect 0, read 3, write 0, timeout 0');
  });
});

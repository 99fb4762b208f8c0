import { beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '~/server/observability/log.ts';
import { ViolationLog } from '~/server/policy-reports/violation-log.ts';

const HOUR_MS = 60 * 60 * 1000;

let now: number;
let lines: string[];
let violationLog: ViolationLog;

beforeEach(() => {
  now = 1_000_000;
  lines = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  violationLog = new ViolationLog({ log, clock: () => now });
});

const violation = { directive: 'script-src-elem', blocked: 'inline', page: '/ar' };

describe('the log of violations', () => {
  it('has the directive, what was blocked, and the page', () => {
    violationLog.add(violation);
    const { time: _time, ...line } = JSON.parse(lines[0] ?? '');
    expect(line).toEqual({ level: 'warn', ...violation, msg: 'content security policy violated' });
  });

  it('has each kind of violation once an hour', () => {
    for (let report = 0; report < 50; report++) violationLog.add(violation);
    violationLog.add({ ...violation, page: '/fr' });
    expect(lines).toHaveLength(2);
    now += HOUR_MS - 1;
    violationLog.add(violation);
    expect(lines).toHaveLength(2);
    now += 1;
    violationLog.add(violation);
    expect(lines).toHaveLength(3);
  });

  // threat-model: T-074
  it('has at most 101 lines an hour, the last of which says so', () => {
    const flood = () => {
      for (let report = 0; report < 10_000; report++) violationLog.add({ ...violation, page: `/${report}` });
    };
    flood();
    expect(lines).toHaveLength(101);
    expect(JSON.parse(lines[99] ?? '')).toMatchObject({ page: '/99' });
    expect(JSON.parse(lines[100] ?? '')).toMatchObject({
      limit: 100,
      msg: 'further policy violations of this hour are only counted',
    });
    now += HOUR_MS;
    flood();
    expect(lines).toHaveLength(202);
  });
});

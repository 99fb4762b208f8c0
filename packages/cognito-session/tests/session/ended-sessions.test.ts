import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeferred } from '../../../../tests/support/timing/manual-timers.ts';
import { ALL_SESSIONS, EndedSessions, markOfUser } from '../../src/session/ended-sessions.ts';
import { type EndMark, MAX_MARKS } from '../../src/shared-store/end-marks.ts';

const DAY = 86_400;
const START = 1_800_000_000_000;
const ADA = 'a0000000-0000-0000-0000-000000000000';
const BEN = 'b0000000-0000-0000-0000-000000000000';

let stored: EndMark[] | null;
let reads: number[];
/** What a read waits for. */
let connection: Promise<void>;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  stored = [];
  reads = [];
  connection = Promise.resolve();
});
afterEach(() => vi.useRealTimers());

const createOnMachine = (maxAge = 30 * DAY) =>
  new EndedSessions({
    clock: Date.now,
    maxAge,
    marks: {
      since: async (time) => {
        reads.push(time);
        await connection;
        return stored?.filter(({ at }) => at >= time) ?? null;
      },
    },
  });
const session = (sub: string, startedAt: number) => ({
  startedAt,
  user: { sub, email: null, name: null, groups: [] },
});
const elapse = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('ended sessions', () => {
  it('are known a quarter of a second after the operator has ended them', async () => {
    const ended = createOnMachine();
    expect(await ended.has(session(ADA, START - 1))).toBe(false);
    stored?.push({ name: markOfUser(ADA), at: START });
    await elapse(249);
    expect(await ended.has(session(ADA, START - 1))).toBe(false);
    await elapse(1);
    expect(await ended.has(session(ADA, START - 1))).toBe(true);
    expect(await ended.has(session(ADA, START)), 'started in the same millisecond').toBe(true);
    expect(await ended.has(session(ADA, START + 1)), 'started later').toBe(false);
    expect(await ended.has(session(BEN, START - 1)), 'of another user').toBe(false);
  });

  it('are all sessions after the mark for all', async () => {
    const ended = createOnMachine();
    // The name in the store, which machines with other versions of the site read too.
    stored?.push({ name: 'all', at: START });
    await elapse(250);
    for (const sub of [ADA, BEN]) expect(await ended.has(session(sub, START - 1))).toBe(true);
    expect(await ended.has(session(ADA, START + 1))).toBe(false);
  });

  it('are read completely at once, and then from a minute before the last read', async () => {
    createOnMachine();
    await elapse(500);
    expect(reads).toEqual([0, START - 60_000, START + 250 - 60_000]);
  });

  // threat-model: T-076
  it('are known to the first request of a process', async () => {
    stored?.push({ name: markOfUser(ADA), at: START });
    expect(await createOnMachine().has(session(ADA, START - 1))).toBe(true);
  });

  it('are waited for while a new process connects, for at most two seconds', async () => {
    stored?.push({ name: markOfUser(ADA), at: START });
    const connecting = createDeferred<void>();
    connection = connecting.promise;
    const answers: boolean[] = [];
    const [connected, unconnected] = [createOnMachine(), createOnMachine()];
    void unconnected.has(session(ADA, START - 1)).then((answer) => answers.push(answer));
    await elapse(1999);
    expect(answers).toEqual([]);
    await elapse(1);
    expect(answers).toEqual([false]);
    connecting.resolve();
    await elapse(0);
    expect(await connected.has(session(ADA, START - 1))).toBe(true);
  });

  // threat-model: T-121
  it('of the time in which the machine was suspended are read before its first request continues', async () => {
    const ended = createOnMachine();
    await elapse(250);
    // The clock goes on while the process and its timers stand still. Its connection is lost.
    vi.setSystemTime(START + 3_600_000);
    stored = null;
    const answers: boolean[] = [];
    // The timer of the next read is due before the first request arrives.
    await elapse(250);
    void ended.has(session(ADA, START)).then((answer) => answers.push(answer));
    await elapse(1000);
    void ended.has(session(BEN, START)).then((answer) => answers.push(answer));
    await elapse(0);
    expect(answers).toEqual([]);
    stored = [{ name: markOfUser(ADA), at: START + 1000 }];
    await elapse(250);
    expect(answers).toEqual([true, false]);
  });

  it('are waited for after a suspension for at most two seconds, and then not again', async () => {
    const ended = createOnMachine();
    await elapse(250);
    vi.setSystemTime(START + 3_600_000);
    stored = null;
    const answers: boolean[] = [];
    void ended.has(session(ADA, START)).then((answer) => answers.push(answer));
    await elapse(2000);
    expect(answers).toEqual([false]);
    await elapse(60_000);
    expect(await ended.has(session(ADA, START))).toBe(false);
  });

  it('of a time without a connection are read when it is back, and known ones stay ended', async () => {
    const ended = createOnMachine();
    stored?.push({ name: markOfUser(ADA), at: START });
    await elapse(250);
    stored = null;
    await elapse(10 * 60_000);
    expect(await ended.has(session(ADA, START - 1)), 'while the store is unreachable').toBe(true);
    stored = [{ name: markOfUser(BEN), at: START + 5 * 60_000 }];
    reads = [];
    await elapse(250);
    expect(reads).toEqual([START + 250 - 60_000]);
    expect(await ended.has(session(BEN, START))).toBe(true);
    expect(await ended.has(session(ADA, START - 1)), 'although the store has lost its data').toBe(true);
  });

  it('stay ended when the store returns an older mark', async () => {
    const ended = createOnMachine();
    stored = [{ name: markOfUser(ADA), at: START + 1000 }];
    await elapse(250);
    stored = [{ name: markOfUser(ADA), at: START }];
    await elapse(250);
    expect(await ended.has(session(ADA, START + 1000))).toBe(true);
  });

  it('are forgotten exactly when no session can be as old', async () => {
    const ended = createOnMachine(DAY);
    stored = [{ name: markOfUser(ADA), at: START }];
    await elapse(250);
    stored = [{ name: markOfUser(BEN), at: START + DAY * 1000 }];
    vi.setSystemTime(START + DAY * 1000 - 250);
    await elapse(250);
    expect(await ended.has(session(ADA, START))).toBe(true);
    await elapse(250);
    expect(await ended.has(session(ADA, START))).toBe(false);
  });

  it('stay ended by the mark for all when there are too many marks of users', async () => {
    const ended = createOnMachine();
    stored = [{ name: ALL_SESSIONS, at: START }];
    await elapse(250);
    const others = Array.from({ length: MAX_MARKS - 2 }, (_, index) => `user ${index}`);
    const names = [markOfUser(ADA), markOfUser(BEN), ...others];
    stored = names.map((name) => ({ name, at: START + 1000 }));
    await elapse(250);
    expect(await ended.has(session('cleo', START))).toBe(true);
    expect(await ended.has(session(ADA, START + 1000))).toBe(false);
    expect(await ended.has(session(BEN, START + 1000))).toBe(true);
  });

  it('are not read again while a read is in progress', async () => {
    const answers: ((marks: EndMark[]) => void)[] = [];
    const marks = { since: () => new Promise<EndMark[]>((resolve) => void answers.push(resolve)) };
    new EndedSessions({ clock: Date.now, maxAge: DAY, marks });
    await elapse(1000);
    expect(answers).toHaveLength(1);
    answers[0]?.([]);
    await elapse(250);
    expect(answers).toHaveLength(2);
  });

  it('do not exist without a shared store, which is then not read', async () => {
    const ended = new EndedSessions({ marks: null, clock: Date.now, maxAge: DAY });
    expect(vi.getTimerCount()).toBe(0);
    expect(await ended.has(session(ADA, 0))).toBe(false);
  });
});

it('the name of a mark does not reveal the user', () => {
  expect(markOfUser(ADA)).toMatch(/^[\w-]{22}$/);
  expect(markOfUser(ADA)).not.toBe(markOfUser(BEN));
});

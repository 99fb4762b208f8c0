/** Fields of a log line that no caller should pass: long, deep, circular, or throwing when they are read. */
import type { SeededRandom } from './seeded-random.ts';

/** Six bytes each in JSON, words of any length, and what could break a line. */
const CHARACTERS = ['a', '-', 'a1', 'a.', ' ', '"', '\\', '\n', '\u0000', '\ud800', '漢', '\u2028', '$&'];
const COUNTS = [0, 1, 23, 24, 499, 501, 4001, 31_000, 300_000];

/** They are created once: a value may contain thousands of them. */
const TEXTS = CHARACTERS.flatMap((character) => COUNTS.map((count) => character.repeat(count)));

export function hostileText(random: SeededRandom): string {
  return random.pick(TEXTS);
}

/** Returns fields of which at least one is an error. */
export function hostileFields(random: SeededRandom): Record<string, unknown> {
  return {
    ...(random.oneIn(2) ? { err: hostileError(random) } : {}),
    [hostileText(random)]: hostileValue(random),
    get unreadable() {
      return fail();
    },
    reason: hostileError(random),
    list: hostileValue(random),
    text: hostileText(random),
  };
}

function hostileError(random: SeededRandom, depth = 0): unknown {
  const cause = depth < 50 && !random.oneIn(3) ? hostileError(random, depth + 1) : hostileText(random);
  const error = new Error('failed', { cause });
  // The stack first: some tools read the other texts when it is defined.
  for (const key of ['stack', 'message', 'name', 'code', 'cause']) {
    const text = hostileText(random);
    if (random.oneIn(2)) Object.defineProperty(error, key, { value: text });
    else if (random.oneIn(4)) Object.defineProperty(error, key, { get: () => fail(text) });
    else if (random.oneIn(8)) Object.defineProperty(error, key, { value: cause });
  }
  const unreadable = new Proxy(error, { getPrototypeOf: () => fail(), get: () => fail() });
  return random.pick([error, error, cause, unreadable]);
}

function hostileValue(random: SeededRandom, depth = 0): unknown {
  const texts = () => Array.from({ length: random.pick([0, 1, 60, 1000]) }, () => hostileText(random));
  const inner = () => (depth < 8 ? hostileValue(random, depth + 1) : hostileText(random));
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const create = random.pick<() => unknown>([
    () => hostileText(random),
    () => hostileError(random),
    texts,
    () => Object.fromEntries(texts().map((text, index) => [`${index}${text.slice(0, 5000)}`, text])),
    () => [inner(), inner()],
    () => ({ a: inner(), b: inner() }),
    () => circular,
    () => new Proxy({}, { ownKeys: () => fail(), get: () => fail(), getPrototypeOf: () => fail() }),
    () => ({ toJSON: fail }),
    () => random.pick([Number.NaN, 1n, Symbol('s'), null, new Date(Number.NaN), fail]),
    () => undefined,
  ]);
  return create();
}

function fail(thrown: unknown = new Error('unreadable')): never {
  throw thrown;
}

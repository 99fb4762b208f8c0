/** GraphQL documents around every limit: nesting, aliases, fragments, strings, directives, comments and length. */
import { limits } from './limits.ts';
import { lengthAround } from './long-texts.ts';
import type { SeededRandom } from './seeded-random.ts';

type Wrap = (inner: string, level: number) => string;

/** Nestings of a selection. Each returns the text around `inner`. */
const FIELDS: readonly Wrap[] = [
  (inner) => `a{${inner}}`,
  (inner) => ` a { ${inner} } `,
  (inner, level) => `x${level}:a{${inner}}`,
  (inner) => `a(x:[1]){${inner}}`,
  (inner, level) => `a(x:{y:"${level}"}) @a @b{${inner}}`,
  (inner) => `listMessages(limit:1){items{${inner}}}`,
];
const INLINE_FRAGMENTS: readonly Wrap[] = [
  (inner) => `...{${inner}}`,
  (inner) => `...on Query{${inner}}`,
  (inner) => `...@include(if:true){${inner}}`,
];

const FILLERS = [
  ...['\n', '\n', '\n', '\n ', 'x\n', '\r\n'],
  ...['€', '\\u0041', '\\"""', ' ', '\t\n', 'é\n', 'a'],
];

/** Returns the query of an operation of up to nearly a mebibyte. */
export function largeDocument(random: SeededRandom): string {
  const most = limits.operationBody / 2 - 1000;
  const length = random.oneIn(3) ? most : lengthAround(random, 16_384, most);
  const kinds = random.pick([FIELDS, INLINE_FRAGMENTS, [...FIELDS, ...INLINE_FRAGMENTS]]);
  const wraps = random.oneIn(2) ? [random.pick(kinds)] : kinds;
  const levels = random.pick([1, 9, 10, 11, 120, 325]);
  let selection = leaf(random, Math.max(10, length - levels * 12));
  for (let level = 0; level < levels; level++) selection = random.pick(wraps)(selection, level);
  return random.pick([
    () => `{${selection}}`,
    () => `query Q{${selection}}`,
    () => `mutation M{${selection}}`,
    () => `query Q($a:String="x",$b:[Int!]!){${selection}}`,
    () => `{...f0}${fragments(random, selection)}`,
    () => `${comment(random, Math.floor(length / 2))}{${selection}}`,
    () => `query Q ${'@a'.repeat(random.below(200))}{${selection}}`,
  ])();
}

/** Returns a field with an argument of about `length` characters, or many fields. */
function leaf(random: SeededRandom, length: number): string {
  const repeat = (unit: string) => unit.repeat(Math.ceil(length / unit.length));
  const filler = random.pick(FILLERS);
  if (random.oneIn(2)) return `a(text:"""x${repeat(filler)}€""")`;
  return random.pick([
    () => `a(text:"${repeat(random.pick(['a', '€', '\\n', '\\u0000', '\\"']))}")`,
    () => `a(list:${'['.repeat(Math.min(length, 400))}${']'.repeat(Math.min(length, 400))})`,
    () => `a(list:[${repeat('1,')}])`,
    () => `a(object:${'{a:'.repeat(Math.min(length, 300))}1${'}'.repeat(Math.min(length, 300))})`,
    () => repeat('a '),
    () => Array.from({ length: Math.min(length, 480) }, (_, index) => `a${index}:b`).join(' '),
    () => `a${repeat(' @a')}`,
    () => `a${repeat(',')}`,
    () => repeat('a'),
    () => `a(n:${repeat('1')})`,
  ])();
}

/** A chain of fragments, each of which spreads the next several times. */
function fragments(random: SeededRandom, last: string): string {
  const count = random.pick([1, 5, 30, 120]);
  const times = random.pick([1, 2, 3]);
  const isCycle = random.oneIn(6);
  const chain = Array.from(
    { length: count },
    (_, index) => `fragment f${index} on Query{${`a${random.below(2)}:b{...f${index + 1}} `.repeat(times)}}`,
  );
  return `${chain.join('')}fragment f${count} on Query{${isCycle ? '...f0' : last}}`;
}

function comment(random: SeededRandom, length: number): string {
  return random.pick([`#${'x'.repeat(length)}\n`, '#x\n'.repeat(Math.ceil(length / 3)), ','.repeat(length)]);
}

/** Cookies whose names or values are similar to those of the site. Any sibling host and any program can send them. */
import { split } from './fuzz-values.ts';
import { longText } from './long-texts.ts';
import type { SeededRandom } from './seeded-random.ts';

const NAMES = split(`session oauth guest notice outcome locale theme language-offer
  __Host-session __Host-oauth __Secure-session __proto__`);

const ENDINGS = [
  '',
  ...split('. .0 .1 .2 .7 .8 .9 .01 .10 .99 .100 .-1 .1.1 .99.1 .1a .a.1'),
  ...['.a b', '.a b.1', ' .1', '. 1'],
  ...split('.é.1 ."x".1 .(1).1 .[1].1 .,.1 .@.1 .x/y.1 .{}.1'),
  '.\t.1',
  ...split('.\\.1 .<x>.1 .%00.1 .constructor .__proto__.1'),
  `.${'x'.repeat(200)}.1`,
];

const VALUES = ['', ...split('1 1. 9.x 8. 1.a.b.c.d.e 2.eyJ " fr dark e30 deleted % = ==')];

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Returns the value of a `Cookie` header, of at most `length` characters. `own` are cookies of a visitor. */
export function similarCookies(random: SeededRandom, length: number, own: string): string {
  const pairs = random.oneIn(2) && own !== '' ? [own] : [];
  const most = random.pick([1, 3, 30, 2000]);
  // Several hundred cookies of one kind, or of all kinds.
  const kind = random.oneIn(2) ? random.pick(NAMES) : null;
  let used = pairs.join('').length;
  for (let count = 0; count < most && used < length; count++) {
    const pair = similarPair(random, kind ?? random.pick(NAMES), count);
    pairs.push(pair);
    used += pair.length + 2;
  }
  if (random.oneIn(2)) pairs.reverse();
  return pairs.join(random.pick(['; ', '; ', '; ', ';', ' ; '])).slice(0, length);
}

function similarPair(random: SeededRandom, name: string, count: number): string {
  const ending = random.pick([
    () => random.pick(ENDINGS),
    () => random.pick(ENDINGS),
    () => `.${count}`,
    () => `.x${count}.1`,
    () => `.${letters(random, 12)}`,
    () => `.${letters(random, random.below(40))}`,
  ])();
  const value = random.oneIn(20)
    ? longText(random, random.below(4000)).replaceAll(';', '')
    : random.pick(VALUES);
  return `${name}${ending}=${value}`;
}

/** Letters as in the name of an attempt. */
function letters(random: SeededRandom, length: number): string {
  return Array.from({ length }, () => BASE64URL[random.below(BASE64URL.length)]).join('');
}

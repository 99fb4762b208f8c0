/** Long texts of the shapes that are expensive for parsers, printers and regular expressions. */
import { split } from './fuzz-values.ts';
import type { SeededRandom } from './seeded-random.ts';

const UNITS = [
  ...split(`a a1 A 0 9 - _ a- a. . , ; = & + % %20 %00 %0A %zz
    ' " < > <b> &amp; ( [ { [] {} / /a .. \\ : @ # ? *`),
  ...[' ', '\t'],
  ...split('é %E2%82%AC %F0%9F%92%A5 %u20AC \\u0000 \\n ${ {{ $t('),
];

/** Words without an end, which expressions for words, names and tokens read again from each character. */
const WORDS = split('a A a1 1 - _ a- a_ é .a a: a/');

/** Returns a text of at most `length` characters: one unit repeated, a few mixed, or runs with an end that differs. */
export function longText(random: SeededRandom, length: number): string {
  const unit = random.oneIn(3) ? random.pick(WORDS) : random.pick(UNITS);
  const repeat = (text: string) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
  return random.pick([
    () => repeat(unit),
    () => repeat(unit),
    () => `${repeat(unit).slice(0, -1)}!`,
    () => repeat(unit + random.pick(UNITS)),
    () => repeat(`${unit.repeat(1 + random.below(200))}${random.pick(UNITS)}`),
  ])();
}

/** Returns a length around a limit: far below it, just within it, just beyond it or far beyond it. */
export function lengthAround(random: SeededRandom, limit: number, most: number): number {
  const wanted = random.pick([
    () => random.below(limit),
    () => Math.floor(limit * 0.9),
    () => limit - random.below(64),
    () => limit + 1 + random.below(64),
    () => limit * 2,
    () => most,
  ])();
  return Math.max(1, Math.min(wanted, most));
}

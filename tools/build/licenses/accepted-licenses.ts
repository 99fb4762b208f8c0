/** The licenses of packages that may become a part of a build. */

/** All of them allow the distribution of changed and unchanged copies, if their text goes with the copies. */
const ACCEPTED = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-3-Clause',
  '0BSD',
  'OFL-1.1',
  'BlueOak-1.0.0',
  'Unlicense',
];

/** Whether every license of an SPDX expression, such as `(MIT OR Apache-2.0)`, is accepted. */
export function isAcceptedLicense(expression: string): boolean {
  const ids = expression
    .replace(/[()]/g, ' ')
    .trim()
    .split(/\s+(?:AND|OR|WITH)\s+/);
  return ids.every((id) => ACCEPTED.includes(id));
}

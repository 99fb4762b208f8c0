/** Compares the cookies on the privacy page with those that the code defines. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cookies } from '../../../../app/pages/privacy/cookies.ts';

/** How the code names a cookie: a sealed or flash cookie by its base name, any other one by a constant. */
const DEFINITIONS = [
  /\bcookieName\('([\w-]+)'/g,
  /\bcreateFlashCookie(?:<\w+>)?\('([\w-]+)'/g,
  /\b[A-Z_]*COOKIE\w* = '([\w-]+)'/g,
];

// threat-model: T-071
it('the privacy page lists every cookie that the code defines, and no others', () => {
  const files = ['app', 'packages/cognito-session/src'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => join(folder, file)),
  );
  const defined = files.flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    return DEFINITIONS.flatMap((pattern) => [...source.matchAll(pattern)].map(([, name = '']) => name));
  });
  const listed = cookies.map(({ name }) => name);
  expect(listed.sort()).toEqual([...new Set(defined)].sort());
});

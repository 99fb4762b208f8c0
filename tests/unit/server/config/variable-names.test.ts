import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withVariableNames } from '~/server/config/variable-names.ts';
import { createLog } from '../../../../packages/site-server/src/log/log.ts';

const SOURCES = [
  'cognito-session/src/sign-in/sign-in-failure.ts',
  'cognito-session/src/user-pool/refresh-rejection.ts',
  'appsync-proxy/src/identity/identity-pool-client.ts',
  'appsync-proxy/src/data-api/appsync-client.ts',
];

/** What the libraries ask an operator to correct, as their sources have it. */
const fixes = SOURCES.flatMap((file) =>
  [...readFileSync(`packages/${file}`, 'utf8').matchAll(/'([^'\n]*`[\w.]+`[^'\n]*)'/g)].map(
    ([, text = '']) => text,
  ),
);

function logged(fields: Record<string, unknown>): { fix?: string; level: string; a?: number; msg: string } {
  const lines: string[] = [];
  const log = withVariableNames(createLog('info', { write: (line) => void lines.push(line) }));
  log.error(fields, 'configuration error');
  return JSON.parse(lines.join(''));
}

it('names a variable of the site in place of each option', () => {
  expect(fixes.length).toBeGreaterThan(7);
  for (const fix of fixes) {
    const named = logged({ fix, a: 1 });
    expect(named).toMatchObject({ level: 'error', a: 1, msg: 'configuration error' });
    expect(named.fix).toMatch(/\b(?:COGNITO|GRAPHQL)_[A-Z_]+/);
    expect(named.fix).not.toContain('`');
  }
});

it('leaves other lines as they are', () => {
  expect(logged({ a: 1 })).toMatchObject({ level: 'error', a: 1, msg: 'configuration error' });
  const lines: string[] = [];
  const log = withVariableNames(createLog('info', { write: (line) => void lines.push(line) }));
  log.info({ fix: '`id`' }, 'text');
  log.error('only a text');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'info', fix: '`id`' },
    { level: 'error', msg: 'only a text' },
  ]);
});

/** The known problems: their documentation, their tests, and contradictions within an environment. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseEnv } from '../../../../app/server/config/env.ts';
import { printProblemTable, problems } from '../../doctor/findings/finding.ts';
import { type Check, runChecks } from '../../doctor/findings/run-checks.ts';
import { createConfigurationChecks } from '../../doctor/services/configuration-checks.ts';
import { createDataApiChecks } from '../../doctor/services/data-api-checks.ts';
import { SESSION_SECRETS } from '../support/doctor-process.ts';

const folders = ['packages/operations/tests/doctor', 'tests/routes/process'];
const tests = folders
  .flatMap((folder) => readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8')))
  .join('\n');

describe('the known problems', () => {
  it('are the table of docs/doctor.md', () => {
    const block = /<!-- problems -->\n([\s\S]*?)\n<!-- \/problems -->/.exec(
      readFileSync('docs/doctor.md', 'utf8'),
    );
    expect(block?.[1]).toBe(printProblemTable());
  });

  it.each(Object.keys(problems))('are each caused by a test: %s', (code) => {
    expect(tests).toContain(`'${code}'`);
  });
});

/** The names of AWS must not be resolved by a test, so the checks that only compare texts are called directly. */
describe('regions in the addresses of AWS', () => {
  const variables = {
    APP_ORIGIN: 'https://example.com',
    TRUSTED_PROXIES: '1',
    SESSION_SECRETS,
    COGNITO_USER_POOL_ID: 'eu-west-1_Abcdefghi',
    COGNITO_CLIENT_ID: '1client2of3a4pool',
    COGNITO_DOMAIN: 'https://tenfold.auth.us-east-1.amazoncognito.com',
    COGNITO_IDENTITY_POOL_ID: 'eu-west-1:0b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0',
    GRAPHQL_ENDPOINT: 'https://abcdefghijklmnopqrstuvwxyz.appsync-api.us-east-1.amazonaws.com/graphql',
  };
  const noGuest = { credentials: async () => null };
  const signal = new AbortController().signal;
  const resultOf = async (checks: Check[], name: string) =>
    [await checks.find((check) => check.name === name)?.run(signal)].flat();

  it('that contradict the user pool are a failure of COGNITO_DOMAIN', async () => {
    const checks = createConfigurationChecks(parseEnv(variables), variables);
    expect(await resultOf(checks, 'User pool')).toMatchObject([
      { code: 'domain-in-other-region', fix: expect.stringContaining('Set COGNITO_DOMAIN') },
    ]);
  });

  it('that contradict GRAPHQL_REGION are a failure with the right region', async () => {
    const checks = createDataApiChecks(parseEnv(variables), noGuest, 1000);
    expect(await resultOf(checks, 'Region')).toMatchObject([
      { code: 'graphql-region-mismatch', fix: 'Set GRAPHQL_REGION=us-east-1' },
    ]);
  });
});

describe('a check that does not finish', () => {
  it.each<[string, Check['run'], string]>([
    [
      'throws an error that it does not expect',
      async () => Promise.reject(new RangeError('too far')),
      'too far',
    ],
    ['exceeds the deadline', () => new Promise(() => {}), 'no result within 0.05 seconds'],
  ])('because it %s is a failure, and the next check runs', async (_, run, reason) => {
    const next: Check = { name: 'Next', run: async () => ({ status: 'ok', message: 'Fine.' }) };
    const results = [];
    for await (const result of runChecks([{ title: 'Group', checks: [{ name: 'First', run }, next] }], 50)) {
      results.push(result.finding);
    }
    expect(results).toMatchObject([
      { status: 'failure', code: 'check-unfinished', message: expect.stringContaining(reason) },
      { status: 'ok' },
    ]);
  });
});

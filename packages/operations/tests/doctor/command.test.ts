/** The command line of `npm run doctor`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { runDoctor, startConfiguredCloud } from '../support/doctor-process.ts';

/** Every test starts a process. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let cloud: LocalCloud;
let environment: Record<string, string>;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'doctor-'));
  ({ cloud, environment } = await startConfiguredCloud());
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await cloud.close();
});

function writeEnvironment(variables: Record<string, string>): string {
  const file = join(directory, 'site.env');
  writeFileSync(
    file,
    Object.entries(variables)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  return file;
}

describe.concurrent('npm run doctor', () => {
  it('reads the environment from a file', async () => {
    const { exitCode, output } = await runDoctor({}, ['--env-file', writeEnvironment(environment)], {
      fromSource: true,
    });
    expect(output).toContain('ok           Client secret: ');
    expect(exitCode).toBe(0);
  });

  it('prefers variables that are set to those of the file', async () => {
    const file = writeEnvironment(environment);
    const { codes } = await runDoctor({ COGNITO_CLIENT_ID: '7another8client9id' }, ['--env-file', file]);
    expect(codes).toEqual(['client-not-found']);
  });

  it('prints one JSON object with --json', async () => {
    const { exitCode, output } = await runDoctor({ ...environment, GRAPHQL_REGION: 'eu-west-1' }, ['--json']);
    const { healthy, results } = JSON.parse(output);
    expect(results.filter(({ status }: { status: string }) => status === 'failure')).toEqual([
      {
        group: 'Data API',
        check: 'Signed request',
        status: 'failure',
        code: 'graphql-region-rejected',
        message: 'The data API rejects requests that are signed for the region eu-west-1.',
        fix: 'Set GRAPHQL_REGION to the region of the AppSync API.',
      },
    ]);
    expect({ healthy, exitCode }).toEqual({ healthy: false, exitCode: 1 });
  });

  it('prints its options and exit codes with --help', async () => {
    const { exitCode, output } = await runDoctor({}, ['--help']);
    expect(output).toContain('Usage: npm run doctor -- [options]');
    expect(output).toContain('Exit codes: 0 no failures');
    expect(exitCode).toBe(0);
  });

  it.each([
    ['an unknown option', ['--fast'], "Unknown option '--fast'"],
    ['a time that is no number', ['--timeout', 'soon'], '--timeout must be a number from 1 to 60.'],
    [
      'a file that does not exist',
      ['--env-file', '/nowhere/site.env'],
      'The environment file /nowhere/site.env does not exist.',
    ],
  ])('cannot run with %s: exit code 2 and one sentence', async (_, args, sentence) => {
    const { exitCode, output } = await runDoctor(environment, args);
    expect(exitCode).toBe(2);
    expect(output).toContain(sentence);
    expect(output).not.toMatch(/\n\s+at /);
  });
});

/** The systemd unit, checked by systemd's own tool. It is skipped where the tool is missing. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEnv } from '../../app/server/config/env.ts';
import { shutdownDeadlineMs } from '../../packages/site-server/src/graceful-shutdown.ts';
import { findProgram } from '../../tools/setup/installed-programs.mjs';

const UNIT = 'deploy/systemd/tenfold.service';
/** `systemd-analyze security` reports an exposure from 0.0 to 10.0. It takes the limit in tenths. */
const MAX_EXPOSURE_TENTHS = 15;

const unit = readFileSync(UNIT, 'utf8');
const settings = (name: string) =>
  [...unit.matchAll(/^(\w+)=(.*)$/gm)].filter((match) => match[1] === name).map((match) => match[2] ?? '');

describe('the systemd unit', () => {
  function environment() {
    const pairs = settings('Environment').flatMap((line) => line.split(' '));
    const variables = Object.fromEntries(pairs.map((pair) => pair.split('=', 2)));
    return parseEnv({
      ...variables,
      APP_ORIGIN: 'https://example.com',
      SESSION_SECRETS: 'mP2v8Yq1Zr6Tn4Wb9Kc3Xd7Ls5Hf0Jg2',
      COGNITO_USER_POOL_ID: 'eu-west-1_AbCdEf123',
      COGNITO_CLIENT_ID: '1example23456789',
      COGNITO_DOMAIN: 'login.example.com',
      COGNITO_IDENTITY_POOL_ID: 'eu-west-1:11111111-2222-3333-4444-555555555555',
      GRAPHQL_ENDPOINT: 'https://abc.appsync-api.eu-west-1.amazonaws.com/graphql',
    });
  }

  it('sets variables that the site accepts, and leaves the rest to the environment file', () => {
    const env = environment();
    expect(env).toMatchObject({ listenHost: '127.0.0.1', port: 3000, trustedProxies: 1 });
    expect(env.builds.directory).toBe(`/var/lib/${settings('StateDirectory')[0]}`);
  });

  it('waits longer for a shutdown than the server itself', () => {
    const [timeout = ''] = settings('TimeoutStopSec');
    expect(timeout).toMatch(/^\d+s$/);
    expect(Number.parseInt(timeout, 10) * 1000).toBeGreaterThan(
      shutdownDeadlineMs(environment().drainSeconds * 1000),
    );
  });
});

const program = findProgram(['systemd-analyze']);

describe.skipIf(program === null /* only Linux has systemd */)('systemd-analyze', () => {
  let folder: string;
  let file: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'systemd-'));
    file = join(folder, 'tenfold.service');
    // Node has another path on this machine.
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const analyze = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(program ?? '', args, { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };

  it('finds no error and no unknown setting in the unit', () => {
    expect(analyze('verify', file)).toEqual({ status: 0, output: '' });
  });

  it('finds the service well isolated', () => {
    const offline = ['--offline=true', '--no-pager', `--threshold=${MAX_EXPOSURE_TENTHS}`];
    const { status, output } = analyze('security', ...offline, file);
    expect(status, output).toBe(0);
    expect(output).toMatch(/Overall exposure level for tenfold\.service: \d\.\d OK/);
  });
});

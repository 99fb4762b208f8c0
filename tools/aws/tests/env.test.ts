import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv as parseFile } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseEnv } from '../../../app/server/config/env.ts';
import { registerSecret } from '../../../tests/support/secrets/secret-detection.ts';
import { AwsStandIn, CLIENT_SECRET } from './support/aws-stand-in.ts';
import { copyProject, runCommand } from './support/run-command.ts';

const SECRET = 'zK3mXq8vRt5wYb1nPd7sLf9hGj2cUa4e';
registerSecret('client secret', CLIENT_SECRET);
registerSecret('session secret', SECRET);

const outputs = {
  Region: 'eu-central-1',
  AppOrigin: 'https://example.com',
  AppOrigins: 'https://example.com,http://localhost:3000',
  UserPoolId: 'eu-central-1_TenfoldP1',
  UserPoolClientId: '1h57kf5cpq17m0eml12EXAMPLE',
  HostedLoginDomain: 'https://tenfold-1a2b.auth.eu-central-1.amazoncognito.com',
  IdentityPoolId: 'eu-central-1:1a2b3c4d-5e6f-4a1b-8c2d-000000000001',
  GuestsAllowed: 'false',
  GraphQLEndpoint: 'https://abcdefghijklmnopqrstuvwxyz.appsync-api.eu-central-1.amazonaws.com/graphql',
};
let account: AwsStandIn;
let folder: string;

beforeEach(async () => {
  account = new AwsStandIn();
  await account.start();
  account.addStack('tenfold', { outputs });
  folder = copyProject();
});
afterEach(async () => {
  await account.close();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => runCommand('env', args, { folder, account });
const path = (name = '.env.aws') => join(folder, name);
const read = (name?: string) => parseFile(readFileSync(path(name), 'utf8')) as Record<string, string>;

it('configures the site completely, in a file that only its owner can read', async () => {
  const { code } = await run();
  expect(code).toBe(0);
  expect(parseEnv(read())).toMatchObject({
    appOrigin: 'https://example.com',
    userPool: {
      region: 'eu-central-1',
      id: 'eu-central-1_TenfoldP1',
      clientId: '1h57kf5cpq17m0eml12EXAMPLE',
      clientSecret: CLIENT_SECRET,
      domain: outputs.HostedLoginDomain,
    },
    identityPool: { region: 'eu-central-1', id: outputs.IdentityPoolId, allowGuests: false },
    dataApi: { endpoint: outputs.GraphQLEndpoint, region: 'eu-central-1', authMode: 'iam' },
  });
  // Docker and Fly read no quotes.
  for (const line of readFileSync(path(), 'utf8').trimEnd().split('\n')) {
    expect(line).toMatch(/^(?:#.*|[A-Z_]+=[^\s'"#\\`$]+)$/);
  }
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => name.startsWith('.env'))).toEqual(['.env.aws']);
  expect(execFileSync('git', ['check-ignore', '.env.aws'], { encoding: 'utf8' })).toBe('.env.aws\n');
});

it('writes another file for another stack, and the origin that is asked for', async () => {
  account.addStack('staging', { outputs });
  await run('--stack-name', 'staging', '--origin', 'http://localhost:3000');
  expect(read('.env.aws.staging').APP_ORIGIN).toBe('http://localhost:3000');
  const { code, output } = await run('--origin', 'https://example.org');
  expect(output).toContain(
    'does not accept sign-ins from https://example.org, only from https://example.com,',
  );
  expect(existsSync(path())).toBe(false);
  expect(code).toBe(1);
});

it('replaces a file only if that is wanted, and keeps its session secrets and other variables', async () => {
  const text = `# mine\nSESSION_SECRETS=${SECRET}\nCOGNITO_CLIENT_ID=old\nREDIS_URL="rediss://:p%23ss@cache:6379" # shared\n`;
  writeFileSync(path(), text, { mode: 0o644 });
  const refused = await run();
  expect(refused.output).toContain('Nothing was written. Add --force');
  expect(readFileSync(path(), 'utf8')).toBe(text);
  expect(refused.code).toBe(1);
  expect((await run('--force')).code).toBe(0);
  expect(read()).toMatchObject({
    SESSION_SECRETS: SECRET,
    COGNITO_CLIENT_ID: outputs.UserPoolClientId,
    REDIS_URL: 'rediss://:p%23ss@cache:6379',
  });
  expect(readFileSync(path(), 'utf8')).toContain('\n# mine\n');
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  const written = readFileSync(path(), 'utf8');
  await run('--force');
  expect(readFileSync(path(), 'utf8')).toBe(written);
});

it.each([
  ['there is no stack', () => account.stacks.clear(), /There is no stack "tenfold"/],
  [
    'the stack is not deployed',
    () => account.addStack('tenfold', { status: 'ROLLBACK_COMPLETE' }),
    /\(ROLLBACK_COMPLETE\) has no output/,
  ],
  [
    'another tool created the stack',
    () => account.addStack('tenfold', { outputs, tags: [] }),
    /was not created by npm run aws:deploy/,
  ],
  [
    'the site would not start',
    () => account.addStack('tenfold', { outputs: { ...outputs, AppOrigin: 'site' } }),
    /would not start: APP_ORIGIN/,
  ],
])('writes nothing when %s', async (_case, prepare, message) => {
  prepare();
  const { code, output } = await run();
  expect(output).toMatch(message);
  expect(existsSync(path())).toBe(false);
  expect(code).toBe(1);
});

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv as parseFile } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseEnv } from '../../../app/server/config/env.ts';
import { registerSecret } from '../../../tests/support/secrets/secret-detection.ts';
import { type AwsAccount, addDeployedStack, CLIENT_SECRET, startAwsAccount } from './support/aws-account.ts';
import { hasTerminals, runAwsCommand } from './support/aws-command.ts';

let account: AwsAccount;
let folder: string;

beforeEach(async () => {
  account = await startAwsAccount();
  folder = mkdtempSync(join(tmpdir(), 'tenfold-env-'));
});
afterEach(async () => {
  await account.close();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => runAwsCommand('env', args, { account, folder });
const path = (name = '.env.aws') => join(folder, name);
const readVariables = (name?: string) =>
  parseFile(readFileSync(path(name), 'utf8')) as Record<string, string>;

describe('the written file', () => {
  it('configures the site completely', async () => {
    addDeployedStack(account, {
      parameters: { Origins: 'https://example.com,http://localhost:3000', Guests: 'false' },
    });
    const { code } = await runAwsCommand('env', [], { account, folder, fromSource: true });
    expect(code).toBe(0);
    const variables = readVariables();
    expect(parseEnv(variables)).toMatchObject({
      appOrigin: 'https://example.com',
      userPool: {
        region: 'eu-central-1',
        id: 'eu-central-1_TenfoldP1',
        clientId: '1h57kf5cpq17m0eml12EXAMPLE',
        clientSecret: CLIENT_SECRET,
        domain: 'https://tenfold-1a2b3c4d-5e6f-11f0-9abc-000000000001.auth.eu-central-1.amazoncognito.com',
        issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_TenfoldP1',
      },
      identityPool: {
        region: 'eu-central-1',
        id: 'eu-central-1:1a2b3c4d-5e6f-4a1b-8c2d-000000000001',
        allowGuests: false,
      },
      dataApi: {
        endpoint: 'https://abcdefghijklmnopqrstuvwxyz.appsync-api.eu-central-1.amazonaws.com/graphql',
        region: 'eu-central-1',
        authMode: 'iam',
      },
    });
    // Without a variable of the file, the site does not start or has another value.
    for (const name of Object.keys(variables)) {
      const { [name]: _left, ...others } = variables;
      if (name === 'AWS_REGION') continue;
      expect(() => expect(parseEnv(others)).toEqual(parseEnv(variables)), name).toThrow();
    }
  });

  it('is one that only its owner can read, with lines that Node, Docker and Fly read alike', async () => {
    addDeployedStack(account);
    await run();
    const lines = readFileSync(path(), 'utf8').trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/^(?:#.*|[A-Z_]+=[^\s'"#\\`$]+)$/);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['.env.aws']);
  });

  it('of a stack with another name is another file, and leaves the first one as it is', async () => {
    addDeployedStack(account);
    const parameters = { Origins: 'https://staging.example' };
    addDeployedStack(account, { name: 'tenfold-staging', parameters });
    await run();
    const { code, output } = await run('--stack-name', 'tenfold-staging');
    expect(output).toContain('npm run doctor -- --env-file .env.aws.tenfold-staging\n');
    const [live, staging] = [readVariables(), readVariables('.env.aws.tenfold-staging')];
    expect(live.APP_ORIGIN).toBe('http://localhost:3000');
    expect(staging.APP_ORIGIN).toBe('https://staging.example');
    expect(staging.SESSION_SECRETS).not.toBe(live.SESSION_SECRETS);
    expect(code).toBe(0);
  });

  it('is for the origin of --origin, if the stack has it', async () => {
    addDeployedStack(account, { parameters: { Origins: 'https://example.com,http://localhost:3000' } });
    await run('--origin', 'http://localhost:3000', '--file', 'local.env');
    expect(readVariables('local.env').APP_ORIGIN).toBe('http://localhost:3000');
    const { code, output } = await run('--origin', 'https://example.org', '--file', 'other.env');
    expect(output).toContain(
      'The stack does not accept sign-ins from https://example.org. Its origins are https://example.com, http://localhost:3000.',
    );
    expect(existsSync(path('other.env'))).toBe(false);
    expect(code).toBe(1);
  });

  it('is named by the commands that use it, and no secret is printed', async () => {
    addDeployedStack(account);
    const { output } = await run('--file', 'site.env');
    const { SESSION_SECRETS = '' } = readVariables('site.env');
    expect(output).not.toContain(SESSION_SECRETS);
    expect(output).not.toContain(CLIENT_SECRET);
    expect(output).toContain(
      'docker run --env-file site.env -p 3000:3000 tenfold\n  fly secrets import < site.env\n',
    );
  });

  it('is ignored by Git', () => {
    expect(execFileSync('git', ['check-ignore', '.env.aws'], { encoding: 'utf8' })).toBe('.env.aws\n');
  });
});

describe('an existing file', () => {
  const SECRET = 'zK3mXq8vRt5wYb1nPd7sLf9hGj2cUa4e';
  const existing = `# mine\nSESSION_SECRETS=${SECRET}\nCOGNITO_CLIENT_ID=old\nREDIS_URL="rediss://:p%23ss@cache:6379" # shared\nTRUSTED_PROXIES=1\n`;
  registerSecret('session secret', SECRET);

  beforeEach(() => {
    addDeployedStack(account);
    writeFileSync(path(), existing);
  });

  it('is not replaced without a confirmation', async () => {
    const { code, output } = await run();
    expect(output).toBe(
      'The file .env.aws exists already, and nothing was written. Add --force to replace it; SESSION_SECRETS is kept.\n',
    );
    expect(readFileSync(path(), 'utf8')).toBe(existing);
    expect(account.calls).toEqual([]);
    expect(code).toBe(1);
  });

  it('keeps its session secrets and its other variables when it is replaced', async () => {
    chmodSync(path(), 0o644);
    const { code } = await run('--force');
    expect(readVariables()).toMatchObject({
      SESSION_SECRETS: SECRET,
      COGNITO_CLIENT_ID: '1h57kf5cpq17m0eml12EXAMPLE',
      REDIS_URL: 'rediss://:p%23ss@cache:6379',
      TRUSTED_PROXIES: '1',
    });
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(code).toBe(0);
  });

  it.skipIf(!hasTerminals /* only `script` of util-linux opens one */).each([
    ['y', 0, '1h57kf5cpq17m0eml12EXAMPLE'],
    ['n', 1, 'old'],
  ])('in a terminal is replaced after a yes only: %s', async (answer, expected, clientId) => {
    const { code } = await runAwsCommand('env', [], { account, folder, answer: `${answer}\r` });
    expect(readVariables()).toMatchObject({ SESSION_SECRETS: SECRET, COGNITO_CLIENT_ID: clientId });
    expect(code).toBe(expected);
  });

  it('with values of several lines is not replaced', async () => {
    const text = `${existing}NOTE="first\nsecond"\n`;
    writeFileSync(path(), text);
    const { code, output } = await run('--force');
    expect(output).toContain(
      'The values of NOTE cannot be written on one line without quotes, so nothing was written.',
    );
    expect(readFileSync(path(), 'utf8')).toBe(text);
    expect(code).toBe(1);
  });

  it('with a variable that the site rejects is not replaced', async () => {
    const text = existing.replace('TRUSTED_PROXIES=1', 'TRUSTED_PROXIES=many');
    writeFileSync(path(), text);
    const { code, output } = await run('--force');
    expect(output).toMatch(
      /^The site would not start with these variables, so nothing was written: TRUSTED_PROXIES: /,
    );
    expect(readFileSync(path(), 'utf8')).toBe(text);
    expect(code).toBe(1);
  });
});

describe('nothing is written', () => {
  it.each([
    [
      'there is no stack',
      () => {},
      [],
      /^There is no stack "tenfold" in eu-central-1\. Run npm run aws:deploy first/,
    ],
    [
      'the stack is not deployed',
      () => addDeployedStack(account, { status: 'ROLLBACK_COMPLETE' }),
      [],
      /^The stack "tenfold" is not ready \(ROLLBACK_COMPLETE\)\./,
    ],
    [
      'the stack was not created by npm run aws:deploy',
      () => addDeployedStack(account, { tags: [] }),
      [],
      /^The stack "tenfold" was not created by npm run aws:deploy/,
    ],
    [
      'the permission is missing',
      () => {
        addDeployedStack(account);
        account.denied.add('cognito-idp:DescribeUserPoolClient');
      },
      [],
      /^The AWS user or role lacks a permission: .*cognito-idp:DescribeUserPoolClient.* docs\/deploy-to-aws\.md lists/,
    ],
    [
      'the folder does not exist',
      () => addDeployedStack(account),
      ['--file', 'none/.env'],
      /^The file none\/\.env cannot be written\. Check the folder/,
    ],
  ])('when %s', async (_case, prepare, args, message) => {
    prepare();
    const { code, output } = await run(...args);
    expect(output).toMatch(message);
    expect(readdirSync(folder)).toEqual([]);
    expect(code).toBe(1);
  });
});

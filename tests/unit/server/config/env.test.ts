import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseEnv } from '~/server/config/env.ts';
import { EnvError } from '~/server/config/env-error.ts';

const complete = {
  APP_ORIGIN: 'https://example.com',
  SESSION_SECRETS: 'mP2v8Yq1Zr6Tn4Wb9Kc3Xd7Ls5Hf0Jg2',
  COGNITO_USER_POOL_ID: 'eu-west-1_AbCdEf123',
  COGNITO_CLIENT_ID: '1example23456789',
  COGNITO_DOMAIN: 'login.example.com',
  COGNITO_IDENTITY_POOL_ID: 'eu-west-1:11111111-2222-3333-4444-555555555555',
  GRAPHQL_ENDPOINT: 'https://abc.appsync-api.eu-west-1.amazonaws.com/graphql',
};

function problemsOf(variables: Record<string, string | undefined>): readonly string[] {
  try {
    parseEnv(variables);
  } catch (error) {
    if (error instanceof EnvError) return error.problems;
    throw error;
  }
  return [];
}

describe('a complete environment', () => {
  it('has the regions and endpoints of AWS from the ids', () => {
    const env = parseEnv(complete);
    expect(env.userPool).toMatchObject({
      region: 'eu-west-1',
      domain: 'https://login.example.com',
      issuer: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123',
      endpoint: 'https://cognito-idp.eu-west-1.amazonaws.com',
      clientSecret: null,
      refreshOperation: 'GetTokensFromRefreshToken',
    });
    expect(env.identityPool).toMatchObject({ region: 'eu-west-1', allowGuests: true, endpoint: null });
    expect(env.dataApi).toMatchObject({ region: 'eu-west-1', authMode: 'iam' });
  });

  it('has sessions of 365 days, or 30 days without use, in secure cookies', () => {
    const { session } = parseEnv(complete);
    expect(session).toMatchObject({
      secure: true,
      sameSite: 'lax',
      maxAge: 365 * 86_400,
      maxIdle: 30 * 86_400,
    });
  });

  it('refreshes tokens when they expire, listens on every address and drains for two seconds, unless told otherwise', () => {
    const valuesWith = (changes: Record<string, string>) => {
      const { session, listenHost, drainSeconds } = parseEnv({ ...complete, ...changes });
      return [session.recheckAfter, listenHost, drainSeconds];
    };
    expect(valuesWith({})).toEqual([null, null, 2]);
    const changes = { SESSION_RECHECK_SECONDS: '300', LISTEN_HOST: '127.0.0.1', DRAIN_SECONDS: '0' };
    expect(valuesWith(changes)).toEqual([300, '127.0.0.1', 0]);
  });

  it('has the endpoints of the partition in China', () => {
    const { userPool } = parseEnv({ ...complete, COGNITO_USER_POOL_ID: 'cn-north-1_AbCdEf123' });
    expect(userPool.endpoint).toBe('https://cognito-idp.cn-north-1.amazonaws.com.cn');
  });

  it('treats an empty variable as not set', () => {
    expect(parseEnv({ ...complete, COGNITO_CLIENT_SECRET: '', PORT: '' })).toMatchObject({ port: 3000 });
  });

  it('has no links and no icon API unless they are set', () => {
    const valuesWith = (changes: Record<string, string>) => {
      const { links, iconApiHosts } = parseEnv({ ...complete, ...changes });
      return { ...links, iconApiHosts };
    };
    expect(valuesWith({})).toEqual({ source: null, docs: null, privacyContact: null, iconApiHosts: [] });
    expect(valuesWith({ ICON_API_HOSTS: 'none' }).iconApiHosts).toEqual([]);
    const changes = {
      SOURCE_URL: 'https://code.example/ada/site/',
      DOCS_URL: 'https://docs.example',
      PRIVACY_CONTACT: 'privacy@example.com',
      ICON_API_HOSTS: 'https://a.example, https://b.example',
    };
    expect(valuesWith(changes)).toEqual({
      source: 'https://code.example/ada/site',
      docs: 'https://docs.example',
      privacyContact: 'mailto:privacy@example.com',
      iconApiHosts: ['https://a.example', 'https://b.example'],
    });
  });

  it('can have a contact for reports of vulnerabilities, and has none by default', () => {
    const contactOf = (SECURITY_CONTACT: string) =>
      parseEnv({ ...complete, SECURITY_CONTACT }).securityContact;
    expect(parseEnv(complete).securityContact).toBeNull();
    expect(contactOf('security@example.com')).toBe('mailto:security@example.com');
    expect(contactOf('mailto:security@example.com')).toBe('mailto:security@example.com');
    expect(contactOf('https://example.com/security')).toBe('https://example.com/security');
  });

  it.each(['http://localhost:4000/x', 'http://127.0.0.1:4000/x', 'http://[::1]:4000/x'])(
    'can have an upstream without https on this machine: %s',
    (GRAPHQL_ENDPOINT) => {
      expect(parseEnv({ ...complete, GRAPHQL_ENDPOINT }).dataApi.endpoint).toBe(GRAPHQL_ENDPOINT);
    },
  );

  it('can have several session secrets', () => {
    const SESSION_SECRETS = `${complete.SESSION_SECRETS}, Qw8Er5Ty2Ui9Op6As3Df7Gh1Jk4Lz0Xc`;
    expect(parseEnv({ ...complete, SESSION_SECRETS }).session.secrets).toHaveLength(2);
  });
});

describe('an invalid environment', () => {
  it('is reported with all invalid variables and without their values', () => {
    const bad = {
      ...complete,
      APP_ORIGIN: 'ftp://marked-origin/',
      PORT: 'marked-port',
      SESSION_SECRETS: 'marked-secret',
      SESSION_COOKIE_SAME_SITE: 'none',
      COGNITO_USER_POOL_ID: 'markedpool',
      COGNITO_IDENTITY_POOL_ID: undefined,
      REDIS_URL: 'http://:marked-password@localhost',
      GRAPHQL_AUTH_MODE: 'apiKey',
    };
    const problems = problemsOf(bad);
    expect(problems.map((problem) => problem.split(':', 1)[0]).sort()).toEqual([
      'APP_ORIGIN',
      'COGNITO_IDENTITY_POOL_ID',
      'COGNITO_USER_POOL_ID',
      'GRAPHQL_AUTH_MODE',
      'PORT',
      'REDIS_URL',
      'SESSION_COOKIE_SAME_SITE',
      'SESSION_SECRETS',
    ]);
    expect(problems.join()).not.toMatch(/marked|ftp|apiKey/);
  });

  it.each([
    ['COGNITO_USER_POOL_ID', 'nounderscore', 'Invalid user pool id provided.'],
    ['COGNITO_USER_POOL_ID', '_noregion', 'Invalid user pool id provided.'],
    ['COGNITO_USER_POOL_ID', undefined, 'Auth UserPool not configured.'],
    ['COGNITO_CLIENT_ID', undefined, 'Auth UserPool not configured.'],
    ['COGNITO_IDENTITY_POOL_ID', 'nocolon', 'Invalid identity pool id provided.'],
    ['COGNITO_IDENTITY_POOL_ID', ':noregion', 'Invalid identity pool id provided.'],
    ['SESSION_COOKIE_SAME_SITE', 'Lax', 'must be strict, lax or none'],
    ['APP_ORIGIN', 'https://example.com/path', 'must be an http or https origin'],
    ['APP_ORIGIN', 'javascript:alert(1)', 'must be an http or https origin'],
    ['SESSION_MAX_DAYS', '366', 'at most 365'],
    ['SESSION_IDLE_DAYS', '0', 'above 0'],
    ['SESSION_RECHECK_SECONDS', '0', 'from 1 to 86400'],
    ['SESSION_RECHECK_SECONDS', '86401', 'from 1 to 86400'],
    ['SESSION_RECHECK_SECONDS', 'often', 'from 1 to 86400'],
    ['GRAPHQL_ENDPOINT', 'not a url', 'URL'],
    ['GRAPHQL_ENDPOINT', 'http://api.example/graphql', 'must use https'],
    ['COGNITO_DOMAIN', 'http://login.example', 'must use https'],
    ['COGNITO_ISSUER', 'http://localhost.example/pool', 'must use https'],
    ['AWS_ENDPOINT_URL_COGNITO_IDENTITY', 'http://169.254.169.254', 'must use https'],
    ['ICON_API_HOSTS', 'https://icons.example,http://icons.example', 'must use https'],
    ['SOURCE_URL', 'http://code.example/ada/site', 'must be an https URL'],
    ['SOURCE_URL', 'https://ada:secret@code.example/site', 'without a password'],
    ['DOCS_URL', 'javascript:alert(1)', 'must be an https URL'],
    ['PRIVACY_CONTACT', 'ask us', 'must be an email address or an https URL'],
    ['PRIVACY_CONTACT', 'a@example.com?bcc=b@example.com', 'must be an email address or an https URL'],
    ['SECURITY_CONTACT', 'a@example.com\nExpires: never', 'must be an email address or an https URL'],
  ])('is reported with the reason: %s=%s', (name, value, reason) => {
    const problems = problemsOf({ ...complete, [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${name}: `);
    expect(problems[0]).toContain(reason);
  });

  it.each([
    ['too short', 'abc'],
    ['a repeated letter', 'a'.repeat(40)],
    ['the value of an example', 'please-change-me-please-change-me-1234567890'],
    ['valid except for the second', `${complete.SESSION_SECRETS},short`],
  ])('is reported for session secrets that are %s', (_why, SESSION_SECRETS) => {
    expect(problemsOf({ ...complete, SESSION_SECRETS })).toEqual([
      expect.stringMatching(/^SESSION_SECRETS: /),
    ]);
  });

  it('is reported for SameSite=None, which needs Secure, without https', () => {
    const variables = { ...complete, APP_ORIGIN: 'http://localhost:3000', SESSION_COOKIE_SAME_SITE: 'none' };
    expect(problemsOf(variables)).toEqual([
      'SESSION_COOKIE_SAME_SITE: none needs an https address in APP_ORIGIN',
    ]);
  });
});

describe('an amplify_outputs.json', () => {
  const folder = mkdtempSync(join(tmpdir(), 'amplify-outputs-'));
  const file = join(folder, 'amplify_outputs.json');
  afterEach(() => rmSync(file, { force: true }));

  const outputs = {
    version: '1.4',
    auth: {
      aws_region: 'us-east-2',
      user_pool_id: 'us-east-2_FromFile',
      user_pool_client_id: 'client-from-file',
      identity_pool_id: 'us-east-2:from-file',
      unauthenticated_identities_enabled: false,
      password_policy: {},
      oauth: { domain: 'login.from-file.example' },
    },
    data: {
      url: 'https://from-file.example/graphql',
      aws_region: 'us-west-1',
      default_authorization_type: 'AMAZON_COGNITO_USER_POOLS',
      authorization_types: ['AWS_IAM'],
    },
  };
  /** The file with other authorization types of its API. */
  const withTypes = (default_authorization_type: string, ...authorization_types: string[]) =>
    JSON.stringify({
      ...outputs,
      data: { ...outputs.data, default_authorization_type, authorization_types },
    });
  const own = {
    APP_ORIGIN: complete.APP_ORIGIN,
    SESSION_SECRETS: complete.SESSION_SECRETS,
    AMPLIFY_OUTPUTS: file,
  };

  it('replaces the variables that are not set', () => {
    writeFileSync(file, JSON.stringify(outputs));
    const env = parseEnv(own);
    expect(env.userPool).toMatchObject({
      id: 'us-east-2_FromFile',
      domain: 'https://login.from-file.example',
    });
    expect(env.identityPool).toMatchObject({ id: 'us-east-2:from-file', allowGuests: false });
    expect(env.dataApi).toMatchObject({ region: 'us-west-1', authMode: 'userPool' });
    expect(parseEnv({ ...own, COGNITO_CLIENT_ID: 'from-variable' }).userPool.clientId).toBe('from-variable');
  });

  it.each([
    ['API_KEY', ['AMAZON_COGNITO_USER_POOLS', 'AWS_IAM'], 'userPool'],
    ['API_KEY', ['AWS_IAM', 'AMAZON_COGNITO_USER_POOLS'], 'iam'],
    ['AWS_IAM', ['AMAZON_COGNITO_USER_POOLS'], 'iam'],
  ])('with the default authorization %s and also %j uses the mode %s', (main, additional, authMode) => {
    writeFileSync(file, withTypes(main, ...additional));
    expect(parseEnv(own).dataApi.authMode).toBe(authMode);
  });

  it('with an API key alone needs GRAPHQL_AUTH_MODE, which takes precedence', () => {
    writeFileSync(file, withTypes('API_KEY'));
    expect(problemsOf(own)).toEqual([
      'GRAPHQL_AUTH_MODE: is missing: AMPLIFY_OUTPUTS names neither AWS_IAM nor AMAZON_COGNITO_USER_POOLS. Add one of them to the API and set iam or userPool here.',
    ]);
    expect(parseEnv({ ...own, GRAPHQL_AUTH_MODE: 'iam' }).dataApi.authMode).toBe('iam');
    writeFileSync(file, withTypes('AWS_IAM'));
    expect(parseEnv({ ...own, GRAPHQL_AUTH_MODE: 'userPool' }).dataApi.authMode).toBe('userPool');
  });

  it('of a project without external identity providers needs COGNITO_DOMAIN', () => {
    const { oauth, ...auth } = outputs.auth;
    writeFileSync(file, JSON.stringify({ ...outputs, auth }));
    expect(problemsOf(own)).toEqual([
      'COGNITO_DOMAIN: is missing: AMPLIFY_OUTPUTS names a domain only for projects with external identity providers. Add a domain to the user pool and set it here.',
    ]);
    expect(parseEnv({ ...own, COGNITO_DOMAIN: oauth.domain }).userPool.domain).toBe(
      'https://login.from-file.example',
    );
  });

  it.each(['1', '1.5'])('may have version %s', (version) => {
    writeFileSync(file, JSON.stringify({ ...outputs, version }));
    expect(parseEnv(own).userPool.id).toBe('us-east-2_FromFile');
  });

  it.each(['2', '10', undefined])('of version %j is reported in one sentence', (version) => {
    writeFileSync(file, JSON.stringify({ ...outputs, version }));
    expect(problemsOf(own)).toEqual([
      'AMPLIFY_OUTPUTS: the file is not of version 1 or 1.x. Leave AMPLIFY_OUTPUTS empty and set the variables COGNITO_* and GRAPHQL_* instead.',
    ]);
  });

  it('with a password policy that is not valid is reported', () => {
    const auth = { ...outputs.auth, password_policy: { min_length: '8' } };
    writeFileSync(file, JSON.stringify({ ...outputs, auth }));
    const problem = /^AMPLIFY_OUTPUTS: auth\.password_policy\.min_length /;
    expect(problemsOf(own)).toEqual([expect.stringMatching(problem)]);
  });

  it.each([
    ['does not exist', null],
    ['is not JSON', '{'],
  ])('that %s is reported', (_why, text) => {
    if (text !== null) writeFileSync(file, text);
    expect(problemsOf(own)).toEqual([expect.stringMatching(/^AMPLIFY_OUTPUTS: /)]);
  });
});

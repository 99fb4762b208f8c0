/** What members and administrators may do, in both authorization modes of the data API. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  CREATE_MESSAGE,
  DELETE_MESSAGE,
  LIST_MESSAGES,
  REMOVE_MESSAGE,
} from '../../../../app/graphql/messages.graphql.generated.ts';
import { localizePath } from '../../../../app/i18n/locales.ts';
import { loadTranslations } from '../../../../app/i18n/translations.server.ts';
import { copyBuild } from '../../../support/processes/builds.ts';
import type { SiteVisitor } from '../../../support/sign-in/site-visitor.ts';
import { changeAdmin } from '../../../support/sign-in/user-groups.ts';
import { examplePath, other } from '../../../support/this-site.ts';
import { type RunningStack, setUpStack } from '../../support/set-up-stack.ts';

// Tokens are refreshed after a second, so that a change of the groups counts.
const environment = { SESSION_RECHECK_SECONDS: '1' };
const stacks = {
  iam: setUpStack({ environment }),
  userPool: setUpStack({ environment: { ...environment, GRAPHQL_AUTH_MODE: 'userPool' } }),
};

type Result = { data: Record<string, { id: string; items: { content: string }[] }> | null; errors?: unknown };

/** Sends an operation to the GraphQL proxy. */
async function run(visitor: SiteVisitor, { query }: { query: string }, variables = {}): Promise<Result> {
  const { status, body } = await visitor.request('/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  expect(status).toBe(200);
  return JSON.parse(body);
}

const post = async (visitor: SiteVisitor, content: string) =>
  (await run(visitor, CREATE_MESSAGE, { content })).data?.createMessage?.id ?? '';
const contents = async (visitor: SiteVisitor) =>
  (await run(visitor, LIST_MESSAGES)).data?.listMessages?.items.map(({ content }) => content);
const unauthorized = { data: null, errors: [expect.objectContaining({ errorType: 'Unauthorized' })] };

/** Sends the page's form for the deletion of a message of another member, as a browser without scripts. */
const submit = (visitor: SiteVisitor, id: string) =>
  visitor.request('/test-message', {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'text/html',
      'sec-fetch-mode': 'navigate',
    },
    body: new URLSearchParams({ intent: 'delete', others: 'true', id }).toString(),
  });
/** Whether the page offers to delete a message. */
const offers = async (visitor: SiteVisitor, id: string) =>
  (await visitor.request('/test-message')).body.includes(`name="delete" value="${id}"`);

describe.each(['iam', 'userPool'] as const)('in the mode %s', (mode) => {
  const stack: RunningStack = stacks[mode];

  // threat-model: T-115
  it('a member deletes no message of another member, whichever operation or form is sent', async () => {
    const [ada, ben] = [await stack.signUp('ada'), await stack.signUp('ben')];
    const id = await post(ada, 'By Ada');
    for (const operation of [DELETE_MESSAGE, REMOVE_MESSAGE]) {
      expect(await run(ben, operation, { id })).toEqual(unauthorized);
    }
    const { status, body } = await submit(ben, id);
    expect(status).toBe(403);
    expect(body).toContain('You can only delete your own messages.');
    expect([await offers(ada, id), await offers(ben, id)]).toEqual([true, false]);
    expect(await contents(ben)).toContain('By Ada');
    expect(stack.site.output()).not.toMatch(/"level":"(?:warn|error)"/);
  });

  // threat-model: T-114
  it('an administrator deletes messages of others from the next refresh on, until the next one', async () => {
    const [carl, dora] = [await stack.signUp('carl'), await stack.signUp('dora')];
    const ids = [await post(carl, 'First'), await post(carl, 'Second'), await post(carl, 'Third')] as const;
    expect(await run(dora, REMOVE_MESSAGE, { id: ids[0] })).toEqual(unauthorized);
    await changeAdmin(stack.cloud, 'dora@example.com', true);
    await expect.poll(() => offers(dora, ids[0])).toBe(true);
    expect((await run(dora, REMOVE_MESSAGE, { id: ids[0] })).data).toEqual({ removeMessage: { id: ids[0] } });
    expect((await submit(dora, ids[1])).status).toBe(303);
    await changeAdmin(stack.cloud, 'dora@example.com', false);
    await expect.poll(() => offers(dora, ids[2])).toBe(false);
    expect(await run(dora, REMOVE_MESSAGE, { id: ids[2] })).toEqual(unauthorized);
    const left = await contents(carl);
    expect(left).toContain('Third');
    expect(left).not.toContain('First');
    expect(left).not.toContain('Second');
  });
});

/** Returns the directory of a copy of the build in which only the group `admins` may open the test message page. */
function createBuildWithGroupPage(): string {
  const directory = copyBuild('group-page');
  const folder = join(directory, 'build/server/assets');
  const name = 'name: "test-message", ';
  const changed = readdirSync(folder).filter((file) => {
    const source = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file), source.replace(name, `${name}middleware: ["in-group:admins"], `));
    return source.includes(name);
  });
  if (changed.length !== 1) throw new Error(`The list of pages is in ${changed.length} files.`);
  return directory;
}

describe('a page for administrators', () => {
  const stack = setUpStack({ environment, directory: createBuildWithGroupPage(), topology: 'one machine' });
  const form = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'content=Posted',
  };
  const requests = [
    ['a document', '/test-message', {}],
    ['its head', '/test-message', { method: 'HEAD' }],
    ['its data', '/test-message.data', {}],
    ['a form', '/test-message', form],
    ['a form of client-side code', '/test-message.data', form],
  ] as const;

  // threat-model: T-116
  it.each(requests)(
    'refuses %s to other members, and leads visitors to the sign-in',
    async (what, path, options) => {
      const member = await stack.signUp(what.replaceAll(' ', '-'));
      expect((await member.request(path, options)).status).toBe(403);
      for (let time = 0; time < 2; time += 1) {
        const { status, headers } = await stack.visit().request(path, options);
        expect(status).toBe(path.endsWith('.data') ? 202 : 302);
        if (status === 302) expect(headers.location).toBe('/auth/sign-in?returnTo=%2Ftest-message');
      }
      expect(stack.cloud.faults.calls.graphql).toBeUndefined();
    },
  );

  it('says in the language of the visitor when new access counts, and is in the navigation from then on', async () => {
    const visitor = await stack.signUp('frida');
    const address = localizePath('/test-message', other);
    const open = (path = address) => visitor.request(path);
    const isInNavigation = async () => {
      const { body } = await open(examplePath(other));
      return /<nav[\s\S]*?<\/nav>/.exec(body)?.[0].includes(`href="${address}"`);
    };
    const { t } = loadTranslations('public/locales').instance(other.code);
    const refused = await open();
    expect(refused.status).toBe(403);
    expect(refused.body).toContain(t('error.403.notInGroup'));
    expect(await isInNavigation()).toBe(false);
    await changeAdmin(stack.cloud, 'frida@example.com', true);
    await expect.poll(async () => (await open()).status).toBe(200);
    expect(await isInNavigation()).toBe(true);
    expect((await stack.get('/sitemap.xml')).body).not.toContain('test-message');
  });
});

import { readFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { CREATE_MESSAGE } from '../../../../app/graphql/messages.graphql.generated.ts';
import { loadTranslations } from '../../../../app/i18n/translations.server.ts';
import type { SiteVisitor } from '../../../support/sign-in/site-visitor.ts';
import { setUpStack } from '../../support/set-up-stack.ts';
import { confirm, send } from './account-visitor.ts';

const { t } = loadTranslations('public/locales').instance('en');
const fields = { intent: 'export' };

const stack = setUpStack();
let count = 0;
let email: string;
let visitor: SiteVisitor;

beforeEach(async () => {
  count += 1;
  email = `member-${count}@example.com`;
  visitor = await stack.signUp(`member-${count}`);
});

async function post(author: SiteVisitor, content: string): Promise<void> {
  const { status } = await author.request('/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: CREATE_MESSAGE.query, variables: { content } }),
  });
  expect(status).toBe(200);
}

it('the export has all messages of the visitor, and none of others', async () => {
  await post(await stack.signUp('stranger'), 'not mine');
  // More than a page of the list.
  const contents = Array.from({ length: 51 }, (_, index) => `mine ${index}`);
  for (const content of contents) await post(visitor, content);
  await confirm(visitor, stack.cloud, { email, fields });
  const exported: unknown = JSON.parse((await send(visitor, fields)).body);
  const schema = JSON.parse(readFileSync('public/account-export.schema.json', 'utf8'));
  expect(z.fromJSONSchema(schema).parse(exported)).toEqual(exported);
  const messages = z.array(z.object({ content: z.string() }));
  const { records } = z.object({ records: z.object({ messages }) }).parse(exported);
  expect(records.messages.map(({ content }) => content)).toEqual(contents.toReversed());
});

it('is a page with the reason if the data API does not work, and can be tried again', async () => {
  await confirm(visitor, stack.cloud, { email, fields });
  stack.cloud.faults.set({ faults: [{ service: 'graphql', kind: 'status', status: 500 }] });
  const failed = await send(visitor, fields);
  expect(failed.status).toBe(502);
  expect(failed.headers['content-disposition']).toBeUndefined();
  expect(failed.body).toContain(t('form.error.unavailable'));
  stack.cloud.faults.set({});
  expect((await send(visitor, fields)).status).toBe(200);
});

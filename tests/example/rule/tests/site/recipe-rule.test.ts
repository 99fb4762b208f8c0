import { beforeAll, expect, it } from 'vitest';
import { CREATE_RECIPE, UPDATE_RECIPE } from '../../app/graphql/recipes.graphql.generated.ts';
import { setUpStack } from '../routes/support/set-up-stack.ts';
import { formSubmission } from '../support/http/site-requests.ts';
import type { SiteVisitor } from '../support/sign-in/site-visitor.ts';

const stack = setUpStack();
let ada: SiteVisitor;
beforeAll(async () => {
  ada = await stack.signUp('ada');
});

async function run(query: string, input: Record<string, unknown>) {
  const { body } = await ada.request('/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input } }),
  });
  return JSON.parse(body);
}

const refused = [expect.objectContaining({ errorType: 'ValidationError' })];

it('no recipe takes more than a day', async () => {
  const { data, errors } = await run(CREATE_RECIPE.query, { title: 'Tea', minutes: 1440 });
  expect(errors).toBeUndefined();
  expect((await run(CREATE_RECIPE.query, { title: 'Tea', minutes: 1441 })).errors).toEqual(refused);
  const { id } = data.createRecipe;
  expect((await run(UPDATE_RECIPE.query, { id, minutes: 1441 })).errors).toEqual(refused);
  expect((await run(UPDATE_RECIPE.query, { id, minutes: null })).errors).toBeUndefined();
});

it('the form says it beside the field', async () => {
  const { status, body } = await ada.request('/recipes', formSubmission({ title: 'Tea', minutes: '1441' }));
  expect(status).toBe(422);
  expect(body).toContain('Write a whole number up to 1440.');
});

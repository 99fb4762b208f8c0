import { expect, it } from 'vitest';
import { setUpStack } from '../routes/support/set-up-stack.ts';
import { formSubmission } from '../support/http/site-requests.ts';

const stack = setUpStack({ environment: { RATE_LIMIT_SCALE: '0.5' } });

it('a visitor without a session sends a message, but not many', async () => {
  const visitor = stack.visit();
  const send = (text: string) =>
    visitor.request('/contact', formSubmission({ text }, { accept: 'text/html' }));
  expect((await send(' ')).status).toBe(422);
  expect((await send('Do you have green tea?')).status).toBe(303);
  expect((await visitor.request('/contact')).body).toContain('The message was received.');
  const statuses: number[] = [];
  for (let count = 0; count < 15; count += 1) statuses.push((await send('Hello?')).status);
  expect(new Set(statuses)).toEqual(new Set([303, 429]));
});

/** The contact that the privacy page names. */
import { expect, it, onTestFinished } from 'vitest';
import { documentOf, inside, outsideLinks, textOf } from '../../../support/http/outside-links.ts';
import { startStack } from '../../../support/processes/stack.ts';

async function mainText(environment: Record<string, string>): Promise<{ links: string[]; text: string }> {
  const stack = await startStack({ environment });
  onTestFinished(() => stack.stop());
  const main = inside(await documentOf(stack, '/privacy'), 'main');
  return { links: outsideLinks(main), text: textOf(main) };
}

it('is the address that PRIVACY_CONTACT configures', async () => {
  const { links, text } = await mainText({ PRIVACY_CONTACT: 'privacy@example.com' });
  expect(links).toEqual(['mailto:privacy@example.com']);
  expect(text).toContain('contact privacy@example.com.');
});

it('is the operator without PRIVACY_CONTACT', async () => {
  const { links, text } = await mainText({});
  expect(links).toEqual([]);
  expect(text).toContain('contact the operator of this site');
});

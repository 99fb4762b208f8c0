import { describe, expect, it } from 'vitest';
import type { MessageSuccess } from '~/pages/test-message/message-outcome.ts';
import { parseOutcome } from '~/pages/test-message/outcome-schema.server.ts';

const posted = {
  type: 'posted',
  id: '01M7YRRT800000000000000000',
  timing: {
    session: 0.4,
    identity: 12,
    sign: 0.3,
    upstream: 20.1,
    pause: 1.5,
    identityCached: false,
    attempts: 2,
  },
} as const satisfies MessageSuccess;

describe('the outcome that a form leaves for the next page', () => {
  it.each<MessageSuccess>([posted, { type: 'deleted' }])('is passed on: $type', (outcome) => {
    expect(parseOutcome(outcome)).toEqual(outcome);
  });

  it.each([
    ['nothing', null],
    ['another shape', { type: 'posted' }],
    ['numbers out of range', { ...posted, timing: { ...posted.timing, session: -1 } }],
    ['text instead of a number', { ...posted, timing: { ...posted.timing, session: '<b>' } }],
  ])('is ignored if it is %s', (_name, value) => {
    expect(parseOutcome(value)).toBeNull();
  });
});

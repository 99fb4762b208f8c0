import { expect, it } from 'vitest';
import { toVisitor } from '../../../../app/server/rendering/visitor.ts';

const tokens = { accessToken: 'a', idToken: null, refreshToken: null, deviceKey: null, clockDrift: 0 };

it.each([
  ['their name', 'Ada', 'ada@example.com', 'Ada'],
  ['their email address without a name', null, 'ada@example.com', 'ada@example.com'],
  ['nothing without both', null, null, ''],
])('a signed-in visitor is labeled with %s', (_, name, email, label) => {
  const user = { sub: 'sub', name, email, groups: [] };
  expect(toVisitor({ state: 'signed-in', id: 'id', tokens, user })).toEqual({ state: 'signed-in', label });
});

it('a signed-in visitor has the groups of the session', () => {
  const user = { sub: 'sub', name: 'Ada', email: null, groups: ['admins'] };
  expect(toVisitor({ state: 'signed-in', id: 'id', tokens, user })).toEqual({
    state: 'signed-in',
    label: 'Ada',
    groups: ['admins'],
  });
});

it.each(['anonymous', 'ended'] as const)('a visitor whose session is %s has no label', (state) => {
  expect(toVisitor({ state })).toEqual({ state });
});

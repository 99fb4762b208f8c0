import { expect, test } from 'vitest';
import { createAccessKeys } from '../../identity-pool/access-keys.ts';
import { openIdentities } from '../../identity-pool/identities.ts';
import { openStore } from '../../storage/store.ts';

test('stores ten thousand guests, deletes the oldest ones beyond that and never deletes users', () => {
  const identities = openIdentities(openStore(null), 'us-east-1');
  const [first, second] = [identities.createGuest(), identities.createGuest()];
  const ada = identities.link(identities.createGuest(), 'ada');
  for (let count = 2; count < 10_000; count += 1) identities.createGuest();
  expect(identities.find(first.id)).toEqual(first);
  identities.createGuest();
  expect(identities.find(first.id)).toBeUndefined();
  expect(identities.find(second.id)).toEqual(second);
  expect(identities.find(ada.id)).toEqual(ada);
});

test('stores twenty thousand access keys and deletes the oldest ones beyond that', () => {
  const accessKeys = createAccessKeys({ clock: () => 0, seconds: 3_600 });
  const [first, second] = [accessKeys.issue('a', null), accessKeys.issue('b', null)];
  for (let count = 2; count < 20_000; count += 1) accessKeys.issue('c', null);
  expect(accessKeys.find(first.accessKeyId)).toBe(first);
  accessKeys.issue('c', null);
  expect(accessKeys.find(first.accessKeyId)).toBeUndefined();
  expect(accessKeys.find(second.accessKeyId)).toBe(second);
});

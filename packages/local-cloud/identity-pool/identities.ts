import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Store } from '../storage/store.ts';

export type Identity = {
  /** `{region}:{uuid}` */
  id: string;
  /** The user that the identity belongs to, or null for a guest. */
  sub: string | null;
};

/** The identities of the identity pool. Every user and every guest has one. */
export type Identities = {
  /** Creates the identity of a new guest. */
  createGuest(): Identity;
  /** Returns the identity of a user and creates it when needed. */
  ofUser(sub: string): Identity;
  /** Returns the identity with this id, or the user's identity that it was merged into. */
  find(id: string): Identity | undefined;
  /**
   * Links the identity of a guest to a user and returns the user's identity. If the user already has an identity,
   * the guest's id becomes an alias of it.
   */
  link(guest: Identity, sub: string): Identity;
};

const schema = z.object({
  /** The ids of guests, oldest first. */
  guests: z.array(z.string()),
  /** The user of each identity id. A user can have several ids; all but the one in `primary` are aliases. */
  linked: z.record(z.string(), z.string()),
  /** The identity id of each user. */
  primary: z.record(z.string(), z.string()),
});

/** The oldest guests are deleted beyond this number. No other data refers to them. */
const MAX_GUESTS = 10_000;

/** Opens the stored identities. New ids have the form `{region}:{uuid}`. */
export function openIdentities(store: Store, region: string): Identities {
  const section = store.section({
    name: 'identities',
    schema,
    initial: () => ({ guests: [], linked: {}, primary: {} }),
  });

  function linkTo(id: string, sub: string): Identity {
    return section.change((identities) => {
      identities.guests = identities.guests.filter((guest) => guest !== id);
      identities.linked[id] = sub;
      identities.primary[sub] ??= id;
      return { id: identities.primary[sub], sub };
    });
  }

  const newId = () => `${region}:${randomUUID()}`;
  return {
    createGuest() {
      const id = newId();
      section.change(({ guests }) => {
        guests.push(id);
        if (guests.length > MAX_GUESTS) guests.shift();
      });
      return { id, sub: null };
    },
    ofUser(sub) {
      const id = section.value.primary[sub];
      return id === undefined ? linkTo(newId(), sub) : { id, sub };
    },
    find(id) {
      const { guests, linked, primary } = section.value;
      const sub = Object.hasOwn(linked, id) ? linked[id] : undefined;
      if (sub !== undefined) return { id: primary[sub] ?? id, sub };
      return guests.includes(id) ? { id, sub: null } : undefined;
    },
    link: (guest, sub) => linkTo(guest.id, sub),
  };
}

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Store } from '../storage/store.ts';

export type Identity = {
  /** `{region}:{uuid}` */
  id: string;
  /** The user whose login it is linked to, or null while it is a guest's. */
  sub: string | null;
};

/** The identities of one identity pool. Every user has one, and so has every guest. */
export type Identities = {
  createGuest(): Identity;
  /** The user's identity, made when there is none yet. */
  ofUser(sub: string): Identity;
  /** The identity with this id, or the user's that it was merged into. */
  find(id: string): Identity | undefined;
  /**
   * Links a guest's identity to a user. A user who has an identity already keeps it, and the guest's becomes another
   * name for it.
   */
  link(guest: Identity, sub: string): Identity;
};

const schema = z.object({
  /** Guests, the oldest first. */
  guests: z.array(z.string()),
  /** Identity id to user. A user may have several, merged into the one of `primary`. */
  linked: z.record(z.string(), z.string()),
  /** User to identity id. */
  primary: z.record(z.string(), z.string()),
});

/** Guests leave no other trace, so the oldest can be forgotten. */
const MAX_GUESTS = 10_000;

/** Opens the identities that earlier runs made. */
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

/** The `.graphql` files beside their readers, put together by the build. */
import type { Env } from './env.server.ts';
import type { GuardPolicy } from './graphql-guard.server.ts';
import { createTrustedDocuments, type TrustedDocuments } from './trusted-documents.server.ts';

const sources = import.meta.glob<string>('../**/*.graphql', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Every operation that the site ships. Throws at start for a file that cannot be shipped. */
export function loadShippedDocuments(): TrustedDocuments {
  return createTrustedDocuments(Object.values(sources));
}

/** What the proxy lets through: with `GRAPHQL_OPERATIONS=trusted`, as it is unless set, what the site ships. */
export function createGuardPolicy(env: Pick<Env, 'dataApi'>): GuardPolicy {
  return { trusted: env.dataApi.operations === 'trusted' ? loadShippedDocuments() : null };
}

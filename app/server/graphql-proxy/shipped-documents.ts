/** The `.graphql` files beside their readers, put together by the build. */
import { createTrustedDocuments, type TrustedDocuments } from './trusted-documents.ts';

const sources = import.meta.glob<string>('../../**/*.graphql', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Every operation that the site ships. Throws at start for a file that cannot be shipped. */
export function loadShippedDocuments(): TrustedDocuments {
  return createTrustedDocuments(Object.values(sources));
}

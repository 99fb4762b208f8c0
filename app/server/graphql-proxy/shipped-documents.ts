/**
 * Reads the site's `.graphql` files. `trusted-documents.ts` does not do this itself, because only Vite provides
 * `import.meta.glob`, and scripts import that file without Vite.
 */
import { createTrustedDocuments, type TrustedDocuments } from './trusted-documents.ts';

const sources = import.meta.glob<string>('../../**/*.graphql', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Every operation in the `.graphql` files below `app/`. Throws at startup for an invalid file. */
export function loadShippedDocuments(): TrustedDocuments {
  return createTrustedDocuments(Object.values(sources));
}

/**
 * Reads the site's `.graphql` files. `trusted-documents.ts` does not do this itself, because only Vite provides
 * `import.meta.glob`, and scripts import that file without Vite.
 */
import { createTrustedDocuments, type ShippedOperation, type TrustedDocuments } from '@tenfold/appsync-proxy';
import { Kind, parse } from 'graphql';
import schema from '../../../schema.graphql?raw';

/** Without the files of operations that only the server sends: the proxy does not accept those. */
const sources = import.meta.glob<string>(['../../**/*.graphql', '!../../**/*.server.graphql'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Every operation in the `.graphql` files below `app/`, but for those in `.server.graphql` files. Throws at startup for an invalid file. */
export function loadShippedDocuments(): TrustedDocuments {
  return createTrustedDocuments(Object.values(sources));
}

/** The fields that `schema.graphql` allows for groups only. */
const restrictedFields = parse(schema).definitions.flatMap((definition) =>
  definition.kind === Kind.OBJECT_TYPE_DEFINITION
    ? (definition.fields ?? [])
        .filter(({ directives = [] }) =>
          directives.some(({ arguments: given = [] }) =>
            given.some(({ name }) => name.value === 'cognito_groups'),
          ),
        )
        .map(({ name }) => name.value)
    : [],
);

/** Whether only members of a group may run an operation. */
export function isRestricted({ query }: Pick<ShippedOperation, 'query'>): boolean {
  return restrictedFields.some((field) => new RegExp(`\\b${field}\\b`).test(query));
}

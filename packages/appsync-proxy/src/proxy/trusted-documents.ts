/**
 * Trusted documents (also known as persisted queries): the operations in the site's `.graphql` files. The GraphQL proxy
 * forwards only these. They are validated against the schema when the site is built.
 */
import { hash } from 'node:crypto';
import {
  type DocumentNode,
  GraphQLError,
  getOperationAST,
  parse,
  print,
  type Source,
  separateOperations,
  stripIgnoredCharacters,
} from 'graphql';
import type { ShippedOperation, SubscriptionOperation } from '../data-api/operation.ts';

export type TrustedDocuments = {
  /** Looks up an operation by its normalized text. Null when it is not trusted. The text is not parsed. */
  byText(text: string): ShippedOperation | null;
  /** Looks up an operation by `documentHash` of its normalized text. */
  byHash(hash: string): ShippedOperation | null;
};

/** The text of a document without comments, commas and insignificant whitespace (GraphQL section 2.1.7). */
function normalizeDocument(document: DocumentNode): string {
  return stripIgnoredCharacters(print(document));
}

/** The identifier of a trusted document in requests: SHA-256 of its normalized text, in hexadecimal. */
export function documentHash(text: string): string {
  return hash('sha256', text, 'hex');
}

/**
 * The operations of one `.graphql` file, each with the fragments it uses. Throws a `GraphQLError` when the file does not
 * parse, and for unnamed operations.
 */
export function parseOperations(source: string | Source): (ShippedOperation | SubscriptionOperation)[] {
  return Object.entries(separateOperations(parse(source))).map(([operationName, document]) => {
    const definition = getOperationAST(document);
    if (!definition?.name) {
      throw new GraphQLError('Every operation in a .graphql file needs a name.', {
        nodes: definition ?? null,
      });
    }
    const query = normalizeDocument(document);
    const { operation: kind } = definition;
    return kind === 'subscription' ? { query, operationName, kind } : { query, operationName, kind };
  });
}

/** A lookup of the queries and mutations in the given `.graphql` texts. Throws as `parseOperations` does. */
export function createTrustedDocuments(sources: readonly string[]): TrustedDocuments {
  const operations = sources
    .flatMap(parseOperations)
    .flatMap((operation) => (operation.kind === 'subscription' ? [] : [operation]));
  const operationsByText = new Map(operations.map((operation) => [operation.query, operation]));
  const operationsByHash = new Map(operations.map((operation) => [documentHash(operation.query), operation]));
  return {
    byText: (text) => operationsByText.get(text) ?? null,
    byHash: (hash) => operationsByHash.get(hash.toLowerCase()) ?? null,
  };
}

/**
 * Trusted documents (also known as persisted queries): the operations in the site's `.graphql` files. Unless
 * configured otherwise, the GraphQL proxy forwards only these.
 */
import { hash } from 'node:crypto';
import {
  type DocumentNode,
  getOperationAST,
  parse,
  print,
  separateOperations,
  stripIgnoredCharacters,
} from 'graphql';
import type { ShippedOperation } from '../data-api/operation.ts';

export type TrustedDocuments = {
  /**
   * Looks up an operation by its text, in which comments, commas and whitespace do not count. Null when it is not
   * trusted. The text is split into tokens and neither parsed nor printed.
   */
  byText(text: string): ShippedOperation | null;
  /** Looks up an operation by `documentHash` of its normalized text. */
  byHash(hash: string): ShippedOperation | null;
};

/** The text of a document without comments, commas and insignificant whitespace (GraphQL section 2.1.7). */
export function normalizeDocument(document: DocumentNode): string {
  return stripIgnoredCharacters(print(document));
}

/** The identifier of a trusted document in requests: SHA-256 of its normalized text, in hexadecimal. */
export function documentHash(text: string): string {
  return hash('sha256', text, 'hex');
}

/**
 * The operations of one `.graphql` file, each with the fragments it uses. Throws when the file does not parse, and for
 * unnamed operations and subscriptions.
 */
export function parseOperations(source: string): ShippedOperation[] {
  return Object.entries(separateOperations(parse(source))).map(([operationName, document]) => {
    const definition = getOperationAST(document);
    if (!definition?.name) throw new Error('Every operation in a .graphql file needs a name.');
    if (definition.operation === 'subscription') {
      throw new Error(`${operationName} is a subscription, which the proxy does not support.`);
    }
    return { query: normalizeDocument(document), operationName, kind: definition.operation };
  });
}

/** A lookup of the operations in the given `.graphql` texts. Throws as `parseOperations` does. */
export function createTrustedDocuments(sources: readonly string[]): TrustedDocuments {
  const operations = sources.flatMap(parseOperations);
  const operationsByText = new Map(operations.map((operation) => [operation.query, operation]));
  const operationsByHash = new Map(operations.map((operation) => [documentHash(operation.query), operation]));
  return {
    byText: (text) => operationsByText.get(text) ?? operationsByText.get(significantTokens(text)) ?? null,
    byHash: (hash) => operationsByHash.get(hash.toLowerCase()) ?? null,
  };
}

/** The text without what GraphQL ignores; empty for a text that is not made of its tokens. */
function significantTokens(text: string): string {
  try {
    return stripIgnoredCharacters(text);
  } catch {
    return '';
  }
}

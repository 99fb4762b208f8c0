/**
 * The operations that the site ships, and with them the only ones that its proxy passes on unless it is opened.
 * The list is what the `.graphql` files say; nobody keeps a second one.
 */
import { hash } from 'node:crypto';
import { type DocumentNode, Kind, parse, print, separateOperations, stripIgnoredCharacters } from 'graphql';

export type OperationKind = 'query' | 'mutation';

/** One operation with the fragments it needs, ready to be sent. */
export type Operation = {
  query: string;
  operationName: string | null;
  kind: OperationKind;
};

/** An operation of a `.graphql` file. `types` is never there: it carries what goes in and comes out to the compiler. */
export type ShippedOperation<Data = unknown, Variables = Record<string, unknown>> = Operation & {
  operationName: string;
  types?: { data: Data; variables: Variables };
};

export type TrustedDocuments = {
  /** By the text of `normalizeDocument`; null when the site does not ship it. */
  byText(text: string): ShippedOperation | null;
  /** By the SHA-256 of that text, in hexadecimal. */
  byHash(hash: string): ShippedOperation | null;
};

/** The text of a document without what GraphQL ignores: white space, commas, comments (GraphQL section 2.1). */
export function normalizeDocument(document: DocumentNode): string {
  return stripIgnoredCharacters(print(document));
}

/** The name that a trusted document goes by on the wire: SHA-256 of its normalised text, in hexadecimal. */
export function documentHash(text: string): string {
  return hash('sha256', text, 'hex');
}

/**
 * The operations of one `.graphql` file, each with the fragments it uses. Throws for a file that does not parse and
 * for an operation without a name or that is a subscription: none of them can be shipped.
 */
export function operationsOf(source: string): ShippedOperation[] {
  return Object.entries(separateOperations(parse(source))).map(([operationName, document]) => {
    const definition = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    if (definition?.kind !== Kind.OPERATION_DEFINITION || !definition.name) {
      throw new Error('A shipped operation has no name.');
    }
    if (definition.operation === 'subscription') {
      throw new Error(`${operationName} is a subscription, which the proxy does not carry.`);
    }
    return { query: normalizeDocument(document), operationName, kind: definition.operation };
  });
}

/** Every operation of the `.graphql` texts given. Throws as `operationsOf` does. */
export function createTrustedDocuments(sources: readonly string[]): TrustedDocuments {
  const operations = sources.flatMap(operationsOf);
  const texts = new Map(operations.map((operation) => [operation.query, operation]));
  const hashes = new Map(operations.map((operation) => [documentHash(operation.query), operation]));
  return {
    byText: (text) => texts.get(text) ?? null,
    byHash: (hash) => hashes.get(hash.toLowerCase()) ?? null,
  };
}

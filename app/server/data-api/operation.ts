/** One GraphQL operation with the fragments it uses, ready to be sent to the data API. */
export type Operation = {
  query: string;
  operationName: string | null;
  kind: 'query' | 'mutation';
};

/**
 * An operation with its variables. `types` is never set: the compiler infers the types of result and variables from it.
 */
export type OperationCall<Data = unknown, Variables = Record<string, unknown>> = Operation & {
  variables: Variables;
  types?: { data: Data; variables: Variables };
};

/** An operation from one of the site's `.graphql` files. `types` is never set, as in `OperationCall`. */
export type ShippedOperation<Data = unknown, Variables = Record<string, unknown>> = Operation & {
  operationName: string;
  types?: { data: Data; variables: Variables };
};

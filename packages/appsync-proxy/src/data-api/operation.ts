/**
 * An operation from one of the site's `.graphql` files, with the fragments it uses. `types` is never set: the compiler
 * infers the types of result and variables from it.
 */
export type ShippedOperation<Data = unknown, Variables = Record<string, unknown>> = {
  query: string;
  operationName: string;
  kind: 'query' | 'mutation';
  types?: { data: Data; variables: Variables };
};

/** A subscription from one of the site's `.graphql` files. */
export type SubscriptionOperation<Data = unknown> = Omit<ShippedOperation<Data>, 'kind' | 'types'> & {
  kind: 'subscription';
  types?: { data: Data };
};

/** An operation with its variables, ready to be sent to the data API. */
export type OperationCall<Data = unknown, Variables = Record<string, unknown>> = ShippedOperation<
  Data,
  Variables
> & { variables: Variables };

/** Calls of an AppSync API in the name of signed-in visitors, and a proxy through which browsers send them. */

export { isUpstreamError, UpstreamError } from '#upstream';
export { type AppSyncClient, type AppSyncOptions, createAppSyncClient } from './data-api/appsync-client.ts';
export type { CallLeg, CallTiming, FailedCallTiming } from './data-api/call-timing.ts';
export type { GraphqlResult } from './data-api/graphql-result.ts';
export type { OperationCall, ShippedOperation, SubscriptionOperation } from './data-api/operation.ts';
export { createIdentityPool, type IdentityPool, type IdentityPoolOptions } from './identity/identity-pool.ts';
export {
  createIdentityPoolClient,
  GUESTS_NOT_ALLOWED,
  type IdentityPoolClient,
  type IssuedCredentials,
  providerNameOf,
} from './identity/identity-pool-client.ts';
export { graphqlError } from './proxy/graphql-error.ts';
export {
  createGraphqlProxy,
  type GraphqlProxy,
  type GraphqlProxyOptions,
  type ProxiedCall,
} from './proxy/graphql-proxy.ts';
export { createTrustedDocuments, parseOperations, type TrustedDocuments } from './proxy/trusted-documents.ts';
export type { Caller } from './settings.ts';
export { type AwsCredentials, signRequest, type UnsignedRequest } from './signing/signing.ts';
export { tokensExpireAt } from './subscriptions/real-time-authorization.ts';
export {
  createSubscriptions,
  type SubscriptionEvent,
  type SubscriptionMetrics,
  type Subscriptions,
  type SubscriptionsOptions,
} from './subscriptions/subscriptions.ts';

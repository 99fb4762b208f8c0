/** A local stand-in for Amazon Cognito, AWS AppSync and DynamoDB. */
export type { InfraSource, ResolverSource, Template } from './infra/infra-source.ts';
export type { OnSecret, SecretKind } from './issued-secrets.ts';
export { type LocalCloud, type LocalCloudOptions, startLocalCloud } from './start.ts';
export { StartError } from './start-error.ts';
export type { Email } from './storage/store.ts';
export type { ClientKind } from './user-pool/user-pool.ts';

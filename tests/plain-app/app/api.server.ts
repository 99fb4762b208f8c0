import {
  createAppSyncClient,
  createGraphqlProxy,
  createIdentityPool,
  createTrustedDocuments,
} from '@tenfold/appsync-proxy';
import { isSameOrigin } from '@tenfold/cognito-session';

const { env } = process;

const identityPool = createIdentityPool({
  id: env.COGNITO_IDENTITY_POOL_ID ?? '',
  region: env.AWS_REGION ?? '',
  issuer: env.COGNITO_ISSUER ?? '',
  // Amazon Cognito needs none. A stand-in for it does.
  endpoint: env.AWS_ENDPOINT_URL_COGNITO_IDENTITY ?? null,
});

export const api = createAppSyncClient({
  endpoint: env.GRAPHQL_ENDPOINT ?? '',
  region: env.AWS_REGION ?? '',
  credentials: identityPool,
});

const texts = import.meta.glob<string>('./**/*.graphql', { query: '?raw', import: 'default', eager: true });

export const proxy = createGraphqlProxy({
  api,
  documents: createTrustedDocuments(Object.values(texts)),
  isSameOrigin: (headers) => isSameOrigin(headers, env.APP_ORIGIN ?? ''),
});

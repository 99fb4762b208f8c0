import { type CognitoSessionOptions, createCognitoSession } from '@tenfold/cognito-session';

const { env } = process;

export const options: CognitoSessionOptions = {
  appOrigin: env.APP_ORIGIN ?? '',
  secrets: [env.SESSION_SECRET ?? ''],
  userPool: {
    id: env.COGNITO_USER_POOL_ID ?? '',
    clientId: env.COGNITO_CLIENT_ID ?? '',
    clientSecret: env.COGNITO_CLIENT_SECRET,
    domain: env.COGNITO_DOMAIN ?? '',
    // Amazon Cognito needs neither. A stand-in for it does.
    issuer: env.COGNITO_ISSUER,
    endpoint: env.AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER,
  },
};

export const auth = createCognitoSession(options);

import { createDataApi } from './appsync/data-api.ts';
import {
  createFaultsEndpoint,
  createOutboxEndpoint,
  createResetEndpoint,
} from './control/control-endpoints.tsx';
import { createFaultPoints } from './control/fault-points.ts';
import type { FaultyService } from './control/fault-settings.ts';
import { createAsset } from './hosted-login/html-page.tsx';
import { createConfirm } from './hosted-login/pages/confirm.tsx';
import { createConfirmUser } from './hosted-login/pages/confirm-user.tsx';
import { createErrorPage } from './hosted-login/pages/error-page.tsx';
import { createConfirmForgotPassword, createForgotPassword } from './hosted-login/pages/forgot-password.tsx';
import { createSignIn } from './hosted-login/pages/sign-in.tsx';
import { createSignUp } from './hosted-login/pages/sign-up.tsx';
import type { Handler, UnreliableHandler } from './http/exchange.ts';
import type { Route } from './http/server.ts';
import { createIdentityPool } from './identity-pool/identity-pool.ts';
import { createAuthorizeEndpoint } from './oauth/authorize-endpoint.ts';
import { createDiscovery } from './oauth/discovery.ts';
import { createLogoutEndpoint } from './oauth/logout-endpoint.ts';
import { createRevocationEndpoint } from './oauth/revocation-endpoint.ts';
import { createTokenEndpoint } from './oauth/token-endpoint.ts';
import { createUserInfoEndpoint } from './oauth/userinfo-endpoint.ts';
import type { Services } from './services.ts';
import { REGION } from './user-pool/user-pool.ts';
import { createUserPoolApi } from './user-pool/user-pool-api.ts';

const GET = ['GET', 'HEAD'];

/** Adds call counts and fault injection to the handler of a service. */
type AddFaults = (service: FaultyService, handler: Handler) => UnreliableHandler;

/** Returns all routes of the local cloud. */
export function createRoutes(services: Services, { allowGuests }: { allowGuests: boolean }): Route[] {
  const points = createFaultPoints(services.userPool);
  const addFaults: AddFaults = (service, handler) => services.faults.around(points[service], handler);
  const identityPool = createIdentityPoolHandler(services, allowGuests);
  return [
    ...hostedLoginRoutes(services),
    ...oauthRoutes(services, addFaults),
    { path: '/cognito-idp', handler: addFaults('cognito-idp', createUserPoolApi(services)) },
    { path: '/cognito-identity', handler: addFaults('cognito-identity', identityPool) },
    { path: '/graphql', handler: addFaults('graphql', createDataApiHandler(services)) },
    { path: '/_outbox', handler: createOutboxEndpoint(services.outbox) },
    { path: '/_faults', handler: createFaultsEndpoint(services.faults) },
    { path: '/_reset', handler: createResetEndpoint(services.reset) },
  ];
}

function hostedLoginRoutes(services: Services): Route[] {
  return [
    { path: '/login', handler: createSignIn(services) },
    { path: '/signup', handler: createSignUp(services) },
    { path: '/confirm', handler: createConfirm(services) },
    { path: '/confirmUser', handler: createConfirmUser(services), methods: GET },
    { path: '/forgotPassword', handler: createForgotPassword(services) },
    { path: '/confirmforgotPassword', handler: createConfirmForgotPassword(services) },
    { path: '/logout', handler: createLogoutEndpoint(services), methods: GET },
    { path: '/error', handler: createErrorPage(), methods: GET },
    { path: '/_assets/pages.css', handler: createAsset('pages.css'), methods: GET },
    { path: '/_assets/show-password.js', handler: createAsset('show-password.js'), methods: GET },
  ];
}

function oauthRoutes(services: Services, addFaults: AddFaults): Route[] {
  const discovery = createDiscovery(services);
  const wellKnown = `/${services.userPool.id}/.well-known`;
  const onCodeVerifier = (value: string) => services.onSecret('code verifier', value);
  const tokenEndpoint = createTokenEndpoint({ ...services, onCodeVerifier });
  return [
    {
      path: '/oauth2/authorize',
      handler: addFaults('authorize', createAuthorizeEndpoint(services)),
      methods: GET,
    },
    { path: '/oauth2/token', handler: addFaults('token', tokenEndpoint) },
    { path: '/oauth2/revoke', handler: addFaults('revoke', createRevocationEndpoint(services)) },
    { path: '/oauth2/userInfo', handler: createUserInfoEndpoint(services), methods: ['GET', 'POST'] },
    { path: `${wellKnown}/openid-configuration`, handler: discovery.configuration, methods: GET },
    { path: `${wellKnown}/jwks.json`, handler: addFaults('jwks', discovery.jwks), methods: GET },
  ];
}

function createIdentityPoolHandler(services: Services, allowGuests: boolean): Handler {
  const { identityPool, userPool, tokens, clock } = services;
  return createIdentityPool({
    ...identityPool,
    providerNames: [userPool.providerName, userPool.issuerName],
    allowGuests,
    verifyIdToken: tokens.verifyIdToken,
    clock,
  });
}

function createDataApiHandler(services: Services): Handler {
  const { identityPool, userPool, dynamoDb, tokens, clock, faults } = services;
  return createDataApi({
    region: REGION,
    identityPoolId: identityPool.id,
    providerName: userPool.providerName,
    accessKeys: identityPool.accessKeys,
    dynamoDb,
    tokens,
    clock,
    deniedFields: () => faults.settings.deniedFields,
  });
}

import { createDataApi } from './appsync/data-api.ts';
import { createFaultsControl, createOutboxView, createReset } from './control/control.tsx';
import { faultPoints } from './control/fault-points.ts';
import type { FaultyHandler, FaultyService } from './control/faults.ts';
import { createConfirmUser } from './hosted-login/confirm-user.tsx';
import { createErrorPage } from './hosted-login/error-page.tsx';
import { createConfirmForgotPassword, createForgotPassword } from './hosted-login/forgotten-password.tsx';
import { createStylesheet } from './hosted-login/render-page.ts';
import { createSignIn } from './hosted-login/sign-in.tsx';
import { createSignUp } from './hosted-login/sign-up.tsx';
import type { Handler } from './http/exchange.ts';
import type { Route } from './http/router.ts';
import { createIdentityPool } from './identity-pool/identity-pool.ts';
import { createAuthorize } from './oauth/authorize.ts';
import {
  createDiscovery,
  createLogout,
  createRevocationEndpoint,
  createUserInfo,
} from './oauth/oauth-endpoints.ts';
import { createTokenEndpoint } from './oauth/token-endpoint.ts';
import type { Services } from './services.ts';
import { createUserPoolApi } from './user-pool/cognito-idp.ts';
import { REGION } from './user-pool/user-pool.ts';

const GET = ['GET', 'HEAD'];

/** Every address of the local cloud. */
export function cloudRoutes(services: Services, { allowGuests }: { allowGuests: boolean }): Route[] {
  const points = faultPoints(services.userPool);
  const faulty = (service: FaultyService, handler: Handler): FaultyHandler =>
    services.faults.around(points[service], handler);
  return [
    ...hostedLoginRoutes(services),
    ...oauthRoutes(services, faulty),
    { path: '/cognito-idp', handler: faulty('cognito-idp', createUserPoolApi(services)) },
    { path: '/cognito-identity', handler: faulty('cognito-identity', identityPool(services, allowGuests)) },
    { path: '/graphql', handler: faulty('graphql', dataApi(services)) },
    { path: '/_outbox', handler: createOutboxView(services.outbox) },
    { path: '/_faults', handler: createFaultsControl(services.faults) },
    { path: '/_reset', handler: createReset(services.reset) },
  ];
}

function hostedLoginRoutes(services: Services): Route[] {
  return [
    { path: '/login', handler: createSignIn(services) },
    { path: '/signup', handler: createSignUp(services) },
    { path: '/confirmUser', handler: createConfirmUser(services) },
    { path: '/forgotPassword', handler: createForgotPassword(services) },
    { path: '/confirmForgotPassword', handler: createConfirmForgotPassword(services) },
    { path: '/logout', handler: createLogout(services), methods: GET },
    { path: '/error', handler: createErrorPage(), methods: GET },
    { path: '/_assets/pages.css', handler: createStylesheet(), methods: GET },
  ];
}

function oauthRoutes(
  services: Services,
  faulty: (service: FaultyService, handler: Handler) => FaultyHandler,
): Route[] {
  const discovery = createDiscovery(services);
  const wellKnown = `/${services.userPool.id}/.well-known`;
  return [
    { path: '/oauth2/authorize', handler: faulty('authorize', createAuthorize(services)), methods: GET },
    { path: '/oauth2/token', handler: faulty('token', createTokenEndpoint(services)) },
    { path: '/oauth2/revoke', handler: faulty('revoke', createRevocationEndpoint(services)) },
    { path: '/oauth2/userInfo', handler: createUserInfo(services), methods: ['GET', 'POST'] },
    { path: `${wellKnown}/openid-configuration`, handler: discovery.configuration, methods: GET },
    { path: `${wellKnown}/jwks.json`, handler: faulty('jwks', discovery.jwks), methods: GET },
  ];
}

function identityPool({ identityPool, userPool, tokens, clock }: Services, allowGuests: boolean): Handler {
  return createIdentityPool({
    ...identityPool,
    providerName: userPool.providerName,
    allowGuests,
    verifyIdToken: tokens.verifyIdToken,
    clock,
  });
}

function dataApi({ identityPool, messages, tokens, clock }: Services): Handler {
  return createDataApi({ accessKeys: identityPool.accessKeys, region: REGION, messages, tokens, clock });
}

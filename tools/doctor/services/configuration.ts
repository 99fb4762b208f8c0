/** Variables that contradict each other. Needs no service. */
import type { Env } from '../../../app/server/config/env.ts';
import { type Finding, failure, isLoopback, ok, warning } from '../finding.ts';

export async function* checkConfiguration(env: Env): AsyncGenerator<Finding, void> {
  yield ok('All required variables are set and valid.');
  yield* checkOrigin(env);
  yield* checkRegions(env);
}

function* checkOrigin({ appOrigin, trustedProxies }: Env): Generator<Finding> {
  const { protocol, hostname } = new URL(appOrigin);
  if (protocol === 'http:' && !isLoopback(hostname)) {
    yield failure(
      `APP_ORIGIN is ${appOrigin}. Cognito accepts no callback URL on plain HTTP, and everyone on the network can read the session cookies.`,
      'Serve the site over HTTPS, and set APP_ORIGIN to its https address.',
    );
  }
  if (protocol === 'https:' && trustedProxies === 0) {
    yield warning(
      `TRUSTED_PROXIES is 0, but a proxy must serve ${appOrigin}, because the site itself speaks plain HTTP. All visitors without a session share one rate limit.`,
      'Set TRUSTED_PROXIES to the number of proxies in front of the site that append to X-Forwarded-For.',
    );
  }
  if (protocol === 'http:' && isLoopback(hostname) && trustedProxies > 0) {
    yield warning(
      `TRUSTED_PROXIES is ${trustedProxies}, but ${appOrigin} is this machine. Without a proxy, visitors choose the address that rate limits count.`,
      'Set TRUSTED_PROXIES=0, or APP_ORIGIN to the public address.',
    );
  }
}

/** The addresses of AWS name their region, unless they have a custom domain. */
function* checkRegions({ userPool, dataApi }: Env): Generator<Finding> {
  if (!userPool.issuer.endsWith(`/${userPool.id}`)) {
    yield failure(
      'COGNITO_ISSUER does not end with COGNITO_USER_POOL_ID.',
      'Set both to the same user pool. Without COGNITO_ISSUER the site uses the issuer of COGNITO_USER_POOL_ID.',
    );
  }
  const [, domainRegion = userPool.region] =
    /\.auth\.([a-z0-9-]+)\.amazoncognito\.com$/.exec(new URL(userPool.domain).hostname) ?? [];
  if (domainRegion !== userPool.region) {
    yield failure(
      `COGNITO_DOMAIN is in the region ${domainRegion}, but the user pool is in ${userPool.region}.`,
      'Set COGNITO_DOMAIN to the domain of the user pool in COGNITO_USER_POOL_ID.',
    );
  }
  const [, apiRegion = dataApi.region] =
    /\.appsync-api\.([a-z0-9-]+)\.amazonaws\./.exec(new URL(dataApi.endpoint).hostname) ?? [];
  if (apiRegion !== dataApi.region) {
    yield failure(
      `GRAPHQL_ENDPOINT is in the region ${apiRegion}, but the site signs requests for ${dataApi.region}.`,
      `Set GRAPHQL_REGION=${apiRegion}`,
    );
  }
}

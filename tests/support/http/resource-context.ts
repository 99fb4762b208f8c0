/** The context with which Remix calls a resource route, without a server. */
import type { AppLoadContext } from '@remix-run/node';
import { parseEnv } from '../../../app/server/config/env.ts';
import {
  createServices,
  openRequestContext,
  type Services,
  sourceOf,
} from '../../../app/server/request-context.ts';
import { createLog } from '../../../packages/site-server/src/log/log.ts';

export const SITE_ORIGIN = 'https://site.example';

const VARIABLES = {
  APP_ORIGIN: SITE_ORIGIN,
  TRUSTED_PROXIES: '1',
  SESSION_SECRETS: 'q3Lr8vWz1XcB6nM0aSdF9gHjK2pT5yUe',
  COGNITO_USER_POOL_ID: 'eu-west-1_Abcdefghi',
  COGNITO_CLIENT_ID: '1client2of3a4pool',
  COGNITO_DOMAIN: 'https://login.example',
  COGNITO_IDENTITY_POOL_ID: 'eu-west-1:0b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0',
  GRAPHQL_ENDPOINT: 'https://api.example/graphql',
};

/** Returns a visitor's request for `path` and its context. Nothing is called at the addresses of the upstreams. */
export async function resourceRequest(
  path: string,
  init: RequestInit = {},
  variables: Record<string, string> = {},
  onLine: (line: string) => void = () => {},
): Promise<{ request: Request; context: AppLoadContext; params: Record<string, string> }> {
  const env = parseEnv({ ...VARIABLES, ...variables });
  const request = new Request(new URL(path, env.appOrigin), init);
  const log = createLog('info', { write: onLine });
  const services = createServices(env, log, { buildId: 'test', publicDirectory: 'public' });
  return { request, context: await openContext(services, request), params: {} };
}

/** Returns the context of a request that reaches these services. */
export function openContext(services: Services, request: Request): Promise<AppLoadContext> {
  return openRequestContext(services, { ...sourceOf(request), requestId: 'request-1' });
}

/** Returns the response that a loader or an action returns or throws, as Remix does. */
export async function respond(handle: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await handle();
  } catch (thrown) {
    if (thrown instanceof Response) return thrown;
    throw thrown;
  }
}

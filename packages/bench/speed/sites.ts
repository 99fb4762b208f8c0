/** The measured sites with their upstreams: the local cloud for sign-in, and a data API that responds at once. */
import { Agent } from 'node:http';
import { shippedQuery } from '../../../tests/support/http/shipped-operations.ts';
import { freePort } from '../../../tests/support/processes/site.ts';
import { signUpVisitor } from '../../../tests/support/sign-in/site-visitor.ts';
import { startLocalCloud } from '../../local-cloud/start.ts';
import type { BenchRequest } from '../load/http-request.ts';
import { type Server, startBuiltSite, startScript } from '../load/servers.ts';
import type { Coding } from './settings.ts';

export type MeasuredSite = Awaited<ReturnType<Sites['start']>>;
export type Sites = Awaited<ReturnType<typeof startSites>>;

type StartOptions = {
  environment?: Readonly<Record<string, string>>;
  /** Put before the command of the site. */
  launcher?: readonly string[];
  /** How many messages the data API lists. */
  messages?: number;
};

const DEFAULT_MESSAGES = 2;

/** Starts the upstreams. `start` starts one process of the site, whose `signUp` returns the cookies of a new visitor. */
export async function startSites() {
  const cloud = await startLocalCloud();
  const dataApis = new Map<number, Server>();
  let accounts = 0;

  /** The endpoint of a data API that lists this many messages. */
  const endpointWith = async (messages: number): Promise<URL> => {
    const dataApi = dataApis.get(messages) ?? (await startScript('data-api.mjs', [String(messages)]));
    dataApis.set(messages, dataApi);
    return new URL(`http://127.0.0.1:${dataApi.port}/graphql`);
  };

  const start = async (directory = '.', options: StartOptions = {}) => {
    const { environment: changes = {}, launcher = [], messages = DEFAULT_MESSAGES } = options;
    const endpoint = await endpointWith(messages);
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const environment = cloud.environment({ client: 'rotating', appOrigin: origin });
    const variables = { ...environment, GRAPHQL_ENDPOINT: endpoint.href, ...changes };
    const site = await startBuiltSite(directory, port, variables, launcher);
    return { ...site, origin, host: `localhost:${port}`, signUp: () => signUp(origin) };
  };

  /** Creates an account at the local cloud, signs in, and returns the `Cookie` header of the session. */
  const signUp = async (origin: string): Promise<string> => {
    const agent = new Agent({ keepAlive: true });
    const email = `visitor-${accounts++}@example.com`;
    const { cookies } = await signUpVisitor({ site: { origin }, cloud }, agent, email);
    agent.destroy();
    // Earlier builds name the cookie `__Host-session` on an origin of http too.
    const session = [...cookies.cookies].filter(([name]) => /^(?:__Host-)?session/.test(name));
    return session.map(([name, value]) => `${name}=${value}`).join('; ');
  };

  return {
    endpoint: await endpointWith(DEFAULT_MESSAGES),
    start,
    async stop() {
      for (const dataApi of dataApis.values()) await dataApi.stop();
      await cloud.close();
    },
  };
}

/** A page as a browser without a session requests it. */
export function pageRequest(
  { host }: { host: string },
  path: string,
  coding: Coding,
  cookie?: string,
): BenchRequest {
  return { path, host, headers: { 'accept-encoding': coding, ...(cookie ? { cookie } : {}) } };
}

/** A call of the GraphQL proxy. */
export function proxyRequest({ host }: { host: string }, cookie: string) {
  return {
    method: 'POST',
    path: '/api/graphql',
    host,
    headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ query: shippedQuery.query, operationName: shippedQuery.operationName }),
  };
}

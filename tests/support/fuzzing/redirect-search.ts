/** Sends generated return addresses to every route that redirects, and finds those that lead away from the site. */
import { Agent } from 'node:http';
import { type Stack, startStack } from '../processes/stack.ts';
import { createHostedLoginVisitor, PASSWORD } from '../sign-in/hosted-login.ts';
import { createSiteVisitor, signUpVisitor } from '../sign-in/site-visitor.ts';
import { examplePath, other } from '../this-site.ts';
import { createFindings, type Findings } from './findings.ts';
import { redirectAddress } from './redirect-addresses.ts';
import { type RedirectRoute, redirectRoutes } from './redirect-routes.ts';
import { createSeededRandom } from './seeded-random.ts';

export type RedirectSearch = { seed: number; addresses: number; directory?: string };

export type RedirectOutcome = {
  findings: string[];
  /** The routes that have not redirected. */
  silent: string[];
};

const LANES = 8;

/** Sends each address to one route, and all routes about the same number of addresses. */
export async function searchOpenRedirects({
  seed,
  addresses,
  directory = '.',
}: RedirectSearch): Promise<RedirectOutcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  const stack = await startStack({
    directory,
    topology: 'one machine',
    environment: { RATE_LIMIT_SCALE: '0' },
  });
  const findings = createFindings();
  const redirects = new Map<string, number>();
  let routes: readonly RedirectRoute[] = [];
  try {
    routes = await createRoutes(stack, agent);
    let next = 0;
    const lane = async () => {
      for (let index = next++; index < addresses; index = next++) {
        const route = routes[index % routes.length];
        const address = redirectAddress(createSeededRandom(seed, index));
        if (route)
          await visit(route, address, { name: `seed ${seed}, address ${index}`, stack, findings, redirects });
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  } finally {
    agent.destroy();
    await stack.stop();
  }
  const silent = routes.map(({ name }) => name).filter((name) => !redirects.has(name));
  return { findings: findings.list(), silent };
}

async function createRoutes(stack: Stack, agent: Agent): Promise<RedirectRoute[]> {
  const login = createHostedLoginVisitor(stack.cloud);
  const begun = await createSiteVisitor(stack.site.origin, agent).request('/auth/sign-up');
  await login.signUp(begun.headers.location ?? '', { email: 'known@example.com', password: PASSWORD });
  const signedIn = await signUpVisitor(stack, agent, 'ada@example.com');
  return redirectRoutes({ stack, agent, signedIn, login });
}

type Visit = { name: string; stack: Stack; findings: Findings; redirects: Map<string, number> };

async function visit(
  route: RedirectRoute,
  address: string,
  { name, stack, findings, redirects }: Visit,
): Promise<void> {
  const described = `${name} ${JSON.stringify(address.slice(0, 200))}`;
  try {
    const target = await route.send(address);
    if (target === null) return;
    redirects.set(route.name, (redirects.get(route.name) ?? 0) + 1);
    const problem = findWrongTarget(target, route, stack);
    if (problem !== null) findings.add(`${route.name} ${problem}`, `${described} → ${target.slice(0, 200)}`);
  } catch (error) {
    findings.add(`${route.name}: ${error}`, described);
  }
}

/** Judges a target as a browser does on a page of the site. */
export function findWrongTarget(
  target: string,
  { mayLeadToLogin = false, isOwnPath = false }: Pick<RedirectRoute, 'mayLeadToLogin' | 'isOwnPath'>,
  { site, cloud }: { site: { origin: string }; cloud: { origin: string } },
): string | null {
  const page = `${site.origin}${examplePath(other)}`;
  if (!URL.canParse(target, page)) return 'leads nowhere';
  const { origin, pathname } = new URL(target, page);
  if (origin === cloud.origin && mayLeadToLogin) return null;
  if (origin !== site.origin) return 'leaves the site';
  return !isOwnPath && /^\/auth(?:\/|$)/i.test(decode(pathname))
    ? 'leads to an address with an effect'
    : null;
}

function decode(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

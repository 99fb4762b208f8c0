/** The GraphQL proxy beside a bare reverse proxy, and what it adds to a direct signed call. */
import { Agent } from 'node:http';
import { signRequest } from '../../../app/server/signing/signing.ts';
import { startScript } from '../load/servers.ts';
import { format, spread } from '../load/statistics.ts';
import { sendRequest } from './exchange.ts';
import { credentials, measureProxyParts } from './proxy-parts.ts';
import type { Report } from './report.ts';
import type { Settings } from './settings.ts';
import { type MeasuredSite, proxyRequest, type Sites } from './sites.ts';
import { measureStates, type State } from './states.ts';

/** Adds the rows of the GraphQL proxy. */
export async function measureProxy(sites: Sites, settings: Settings, report: Report): Promise<void> {
  const site = await sites.start();
  const cookie = await site.signUp();
  const request = proxyRequest(site, cookie);
  const bareProxy = await startScript('bare-proxy.mjs', [sites.endpoint.href]);
  const contenders = { site: { server: site, request }, bare: { server: bareProxy, request } };
  const added: Partial<Record<State, number[]>> = {};
  const rounds = await measureStates(contenders, [site], settings, async (state) => {
    added[state] = await addedMilliseconds(site, request, sites.endpoint, settings.directCalls);
  });
  for (const server of [site, bareProxy]) await server.stop();

  const add = report.figuresOf(rounds);
  add(
    'GraphQL proxy: CPU time, of a bare reverse proxy',
    ({ site, bare }) => site.cpuMicros / bare.cpuMicros,
    2,
    ' ×',
  );
  add('… CPU time per call', ({ site }) => site.cpuMicros, 0, ' µs');
  add('… CPU time per call, bare reverse proxy', ({ bare }) => bare.cpuMicros, 0, ' µs');
  add('… calls per second', ({ site }) => site.perSecond, 0);
  add('… calls per second, bare reverse proxy', ({ bare }) => bare.perSecond, 0);
  report.addStates('… time added to a direct signed call', (state) => added[state] ?? [], 2, ' ms');
  const parts = await measureProxyParts(cookie);
  for (const [part, figures] of Object.entries(parts)) report.add(`… ${part}`, format(figures, 1, ' µs'));
}

const BATCHES = 5;

/**
 * Medians of several batches: milliseconds of a call through the proxy less those of a signed call to the data API
 * itself, each alone on one connection.
 */
async function addedMilliseconds(
  site: MeasuredSite,
  request: ReturnType<typeof proxyRequest>,
  endpoint: URL,
  calls: number,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const callDirectly = async () => {
    const headers = await signRequest({
      method: 'POST',
      url: endpoint,
      headers: { 'content-type': 'application/json' },
      body: request.body,
      region: 'us-east-1',
      service: 'appsync',
      credentials,
      signingDate: new Date(),
    });
    const direct = { ...request, path: endpoint.pathname, host: endpoint.host, headers };
    await sendRequest(Number(endpoint.port), direct, agent);
  };
  const callThrough = () => sendRequest(site.port, request, agent);
  const added: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const [direct, through]: [number[], number[]] = [[], []];
    for (let call = 0; call < calls / BATCHES; call++) {
      direct.push(await milliseconds(callDirectly));
      through.push(await milliseconds(callThrough));
    }
    added.push(spread(through).median - spread(direct).median);
  }
  agent.destroy();
  return added;
}

async function milliseconds(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
}

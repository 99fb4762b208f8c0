/** On how many processes the site of a test runs, and whether they share a store. */
import { findRedis } from '../../../scripts/redis.mjs';

export const MACHINE_COUNT = 4;

const everyTopology = ['one machine', 'four machines', 'four machines, one store'] as const;
export type Topology = (typeof everyTopology)[number];

/** All that can be had here: the store needs a valkey-server or redis-server. */
export const topologies: readonly Topology[] = everyTopology.filter(
  (name) => !name.endsWith('one store') || findRedis() !== null,
);

/** What a test gets that asks for none: SITE_TOPOLOGY, which the test runners set for their projects. */
export const defaultTopology: Topology =
  everyTopology.find((name) => name === process.env.SITE_TOPOLOGY) ?? 'one machine';

/** Whether everything that looks at the site from outside runs on several machines, not only a selection. */
const isWhole = process.env.WHOLE_SUITE === 'true';

/** Route tests that run on several machines too. The others look into one process, or never meet a running one. */
export const multiMachineRouteTests = isWhole
  ? [
      ...['pages/anonymous-pages', 'pages/links', 'pages/site-companions', 'pages/build-data'],
      ...['security/bad-input-generator', 'security/bad-input'],
    ]
  : ['security/bad-input'];

/** End-to-end tests that run on several machines too. The others start sites of their own, or never reach one. */
export const multiMachineBrowserTests = isWhole
  ? [
      ...['adaptation', 'anonymous-pages', 'data-api', 'dynamic-icon', 'journey', 'keyboard', 'large-text'],
      ...['pages', 'session', 'sign-in', 'staying-fresh'],
    ]
  : ['journey', 'session', 'sign-in', 'data-api'];

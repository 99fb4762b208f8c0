/** How many processes the site of a test consists of, and whether they share a store. */
import { findRedis } from '../../../tools/setup/redis.mjs';

export const MACHINE_COUNT = 4;

const everyTopology = ['one machine', 'four machines', 'four machines, one store'] as const;
/** `remix-serve` is one process of Remix's own server instead of the site's. */
export type Topology = (typeof everyTopology)[number] | 'remix-serve';

/** The topologies that can run here: the shared store needs valkey-server or redis-server. */
export const topologies = everyTopology.filter((name) => !name.endsWith('one store') || findRedis() !== null);

/** The topology of the current Vitest project, which sets SITE_TOPOLOGY. */
export const defaultTopology: Topology =
  everyTopology.find((name) => name === process.env.SITE_TOPOLOGY) ?? 'one machine';

/** Route tests that also run on several machines. The others inspect a single process, or start none. */
export const multiMachineRouteTests = ['security/bad-input'];

/** The tag of end-to-end tests whose outcome can depend on the number of machines, or on the server. */
export const SEVERAL_MACHINES = '@several-machines';

/** The end-to-end tests that also run on several machines: files, and with a tag only the tests that have it. */
export const multiMachineBrowserTests = { files: ['journey', 'session', 'sign-in'], tag: SEVERAL_MACHINES };

/** The end-to-end tests that run under remix-serve too. */
export const remixServeBrowserTests = { files: ['journey'], tag: SEVERAL_MACHINES };

/** Attacks on a process with the memory that Node has on a machine of 512 MB. Each starts a site of its own. */
import { randomInt } from 'node:crypto';
import { attackWithCrowd } from '../../../tests/support/attacks/hostile-crowd.ts';
import {
  neverReadFiles,
  requestFilesUnread,
  requestPagesUnread,
} from '../../../tests/support/attacks/pending-responses.ts';
import {
  keepUploading,
  postBeforeGarbage,
  sendTinyChunks,
} from '../../../tests/support/attacks/request-bodies.ts';
import {
  encodeDataParameter,
  exceedLimitByPage,
  leaveByLanguage,
  nestBlockString,
  repeatLongQuery,
  requestUnknownIcons,
  returnWithLongError,
  sendSimilarCookies,
} from '../../../tests/support/attacks/single-requests.ts';
import type { VictimOptions } from '../../../tests/support/attacks/victim.ts';
import { searchCostlyRequests } from '../../../tests/support/fuzzing/cost-search.ts';
import { searchOpenRedirects } from '../../../tests/support/fuzzing/redirect-search.ts';
import type { Check, CheckResult } from './check.ts';

const SERVED = 'the process runs, the honest visitor is served: 0 failed, p99 below 250 ms';

/** Checks of the build in `directory`. Each name says what is attacked. */
export function attackChecks(directory: string): Check[] {
  const options: VictimOptions = { directory };
  return [
    ...attacksOnResources(options),
    ...attacksByConnections(options),
    ...attacksOnRules(options),
    ...generatedAttacks(directory),
  ];
}

/** Few requests that cost much memory or time. */
function attacksOnResources(options: VictimOptions): Check[] {
  const [page, missing] = ['/?x=1', '/nowhere'];
  return [
    {
      name: 'attack on memory: 4,000 rendered pages on a connection that is not read',
      expectation: SERVED,
      run: () => requestPagesUnread({ connections: 1, requestsEach: 4000, path: page }, options),
    },
    {
      name: 'attack on memory: 1,500 rendered pages on each of two connections that are not read',
      expectation: SERVED,
      run: () => requestPagesUnread({ connections: 2, requestsEach: 1500, path: page }, options),
    },
    {
      name: 'attack on memory: 4,000 missing pages on a connection that is not read',
      expectation: SERVED,
      run: () => requestPagesUnread({ connections: 1, requestsEach: 4000, path: missing }, options),
    },
    {
      name: 'attack on memory: a long text nested in an operation',
      expectation: `400 for each; ${SERVED}`,
      run: () => nestBlockString(options),
    },
    {
      name: 'attack on memory: a long text nested in an operation, where any operation is allowed',
      expectation: `400 for each; ${SERVED}`,
      run: () => nestBlockString({ ...options, environment: { GRAPHQL_OPERATIONS: 'any' } }),
    },
    {
      name: 'attack on memory: 300 forms in chunks of one byte',
      // Node parses the first 64 KiB of each connection, 3.3 million chunks: a bare server stops for two seconds and more.
      expectation:
        'at most 150 MB more; the process runs, the honest visitor is served: 0 failed, p99 below 6 s',
      run: () =>
        sendTinyChunks(
          { connections: 300, chunks: 16_000, method: 'POST', path: '/preferences' },
          { ...options, maxP99Ms: 6000 },
        ),
    },
    {
      name: 'attack on time: four requests with a body of a million chunks of one byte',
      expectation: `at most 150 MB more; ${SERVED}`,
      run: () => sendTinyChunks({ connections: 4, chunks: 1_000_000, path: page }, options),
    },
    {
      name: 'attack on time: a long error of the hosted login',
      expectation: `no log line above 8 kB; ${SERVED}`,
      run: () => returnWithLongError(options),
    },
  ];
}

/** What a client does with its connections, and the connections that the site opens for it. */
function attacksByConnections(options: VictimOptions): Check[] {
  return [
    {
      name: 'attack on descriptors: 60 files on each of 50 connections that are not read',
      expectation: `at most two descriptors for each connection; ${SERVED}`,
      run: () => requestFilesUnread({ connections: 50, requestsEach: 60, ...options }),
    },
    {
      name: 'attack on descriptors: 16 files on each of 50 connections that are never read',
      expectation: 'the site closes them within a minute',
      run: () => neverReadFiles(options),
    },
    {
      name: 'attack on the icon API: 100 requests for unknown icons',
      expectation: 'at most 64 connections to the host',
      run: () => requestUnknownIcons(options),
    },
    {
      name: 'attack on the connection: bytes that are no request after a valid one',
      expectation: 'each stored message has its response, then 400',
      run: () => postBeforeGarbage(options),
    },
    {
      name: 'attack on the network: an upload that does not stop',
      expectation: '413 for each',
      run: () => keepUploading(options),
    },
  ];
}

/** Valid requests that the site has to answer in one way only. */
function attacksOnRules(options: VictimOptions): Check[] {
  return [
    {
      name: 'attack on redirects: a language chosen on a page whose address has an empty segment',
      expectation: 'none leaves the site',
      run: () => leaveByLanguage(options),
    },
    {
      name: 'attack on cookies: names similar to those of the site',
      expectation: '200, 302, 303; the session ends; at most 24 Set-Cookie lines',
      run: () => sendSimilarCookies(options),
    },
    {
      name: 'attack on the router: its internal parameter in several encodings',
      expectation: '400 for each, no error in the log',
      run: () => encodeDataParameter(options),
    },
    {
      name: 'attack on the rate limit: operations through the page',
      expectation: '429 for each way',
      run: () => exceedLimitByPage(options),
    },
    {
      name: 'attack on the network: a long query that the page repeats',
      expectation: 'no page above 300 kB',
      run: () => repeatLongQuery(options),
    },
  ];
}

/** Far more than `npm test` generates, and others in each run. The result states the seed that repeats them. */
function generatedAttacks(directory: string): Check[] {
  const seed = randomInt(2 ** 31);
  // Fifty clients are replaced by 25 others a second. Node parses up to 64 KiB of each, 10 to 20 ms of one processor, before
  // the site can close the connection: a hundred clients would leave no processor to the honest visitor.
  const [clients, requests, addresses] = [50, 5000, 100_000];
  return [
    {
      name: `attack by ${clients} generated clients for a minute`,
      expectation: `${SERVED}; memory and descriptors return`,
      run: () => attackWithCrowd({ seed, clients, ms: 60_000 }, { directory }),
    },
    ...(['trusted', 'any'] as const).map((operations) => ({
      name: `attack by ${requests.toLocaleString('en')} generated requests, ${operations} operations accepted`,
      expectation: 'each has a right response at a bounded cost',
      run: async () =>
        listFindings(seed, await searchCostlyRequests({ seed, requests, operations, directory })),
    })),
    {
      name: `attack by ${addresses.toLocaleString('en')} generated return addresses`,
      expectation: 'none leaves the site',
      run: async () =>
        listFindings(seed, (await searchOpenRedirects({ seed, addresses, directory })).findings),
    },
  ];
}

function listFindings(seed: number, findings: readonly string[]): CheckResult {
  const list = findings.map((finding) => finding.replace(/\s+/g, ' ').slice(0, 400)).join('; ');
  return { result: `seed ${seed}, ${findings.length} problems${list && ': '}${list}`, passed: list === '' };
}

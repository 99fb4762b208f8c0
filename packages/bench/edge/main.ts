/**
 * The figures of the shared caches: what visitors get through them, how many requests the site is spared, how long pages
 * outlive the site, and how soon a new build is visible. `--requests` and `--hits` set the numbers of requests.
 */
import { parseArgs } from 'node:util';
import { copyAsNewBuild } from '../../../tests/support/processes/builds.ts';
import { cacheSetups, startWithClock } from '../../../tests/support/shared-caches/cache-setups.ts';
import { startSiteBehindCache } from '../../../tests/support/shared-caches/site-behind-cache.ts';
import { countHits } from './hits.ts';
import { compareMixedRequests } from './mixed-requests.ts';
import { outliveSite, showNewBuild } from './outages.ts';

const { values } = parseArgs({
  options: {
    build: { type: 'boolean' },
    requests: { type: 'string', default: '100000' },
    hits: { type: 'string', default: '1000000' },
    only: { type: 'string' },
  },
});

let isGood = true;
const print = (text: string) => void process.stdout.write(`${text}\n`);
const check = (name: string, result: string, isMet: boolean) => {
  isGood &&= isMet;
  print(`  ${isMet ? 'ok    ' : 'FAILED'}  ${name}: ${result}`);
};

for (const setup of cacheSetups) {
  if (values.only !== undefined && values.only !== setup.name) continue;
  if (!setup.isInstalled) {
    check(setup.name, 'not installed', false);
    continue;
  }
  print(`\n${setup.name}`);
  const stack = await startSiteBehindCache((ports) => startWithClock(setup, ports), {
    scheme: setup.scheme,
    memberCount: 12,
  });
  const mixed = await compareMixedRequests(stack, setup, Number(values.requests));
  const { same, rejected, wrong, attacks } = mixed;
  check(
    'mixed requests',
    `${same + rejected + wrong.length}, of which ${attacks} hostile: ${same} as from the site, ${rejected} rejected, ${wrong.length} foreign`,
    wrong.length === 0,
  );
  for (const example of wrong.slice(0, 5)) print(JSON.stringify(example));
  const hits = await countHits(stack, Number(values.hits));
  const ratio = (100 * hits.hits) / hits.requests;
  check(
    'anonymous requests',
    `${hits.requests} in ${hits.seconds.toFixed(0)} s, ${ratio.toFixed(2)} % hits, ${hits.failed} failed`,
    ratio >= 99 && hits.failed === 0,
  );
  const outage = await outliveSite(stack);
  check(
    'pages that are sent for a day without the site',
    `${outage.sent} of ${outage.pages}, by a clock that advanced ${outage.hours} h`,
    outage.sent === outage.pages,
  );
  const newBuild = await showNewBuild(stack, copyAsNewBuild('edge'));
  check(
    'new build after the purge',
    `the last page of the earlier one after ${newBuild.seconds.toFixed(2)} s`,
    newBuild.seconds <= 5,
  );
  await stack.stop();
}
process.exitCode = isGood ? 0 : 1;

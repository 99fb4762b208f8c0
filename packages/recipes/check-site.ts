/** Runs the checks of the named recipes against the build in the working directory. Exits with 1 when one fails. */
import { additions } from './additions.ts';
import { removals } from './removals.ts';
import { withSite } from './running-site.ts';

const names = process.argv.slice(2);
const recipes = [...additions, ...removals].filter(({ name }) => names.includes(name));

await withSite(async (site) => {
  for (const recipe of recipes) await recipe.check(site);
});

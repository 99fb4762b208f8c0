/** Which recipes are performed together in one copy of the repository. */
import { additions } from './additions.ts';
import type { Recipe } from './recipe.ts';
import { removals } from './removals.ts';

const recipes: readonly Recipe[] = [...additions, ...removals];

/** All additions in one copy, and the removals of code in another. */
export const allBatches: readonly (readonly Recipe[])[] = [
  additions,
  withNeeded(removals.map(({ name }) => name)),
];

/** Returns the recipes with these names and those that they need, in their usual order. Throws for an unknown name. */
export function withNeeded(wanted: readonly string[]): Recipe[] {
  const unknown = wanted.filter((name) => !recipes.some((recipe) => recipe.name === name));
  if (unknown.length > 0) throw new Error(`Unknown: ${unknown}. Known: ${recipes.map(({ name }) => name)}`);
  const needed = recipes.filter(({ name }) => wanted.includes(name)).flatMap(({ needs = [] }) => needs);
  return recipes.filter(({ name }) => wanted.includes(name) || needed.includes(name));
}

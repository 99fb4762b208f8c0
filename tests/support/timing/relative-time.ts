/**
 * How many times as long as `reference` a request takes: the quotient of the shortest of several times each. Both take
 * longer on a slow or busy machine. What takes less than a millisecond needs more rounds, because one pause is longer.
 */
export async function timesAsLong(
  send: () => Promise<{ ms: number }>,
  reference: () => Promise<{ ms: number }>,
  rounds = 5,
): Promise<number> {
  let [shortest, shortestReference] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    shortestReference = Math.min(shortestReference, (await reference()).ms);
    shortest = Math.min(shortest, (await send()).ms);
  }
  return shortest / shortestReference;
}

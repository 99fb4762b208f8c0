import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyRecipe } from '../../../scripts/recipes/apply.ts';
import { allBatches } from '../../../scripts/recipes/batches.ts';
import { copyRepository, removeCopy } from '../../../scripts/recipes/copy.ts';

// `npm run recipes` also builds the copies and requests their pages.
describe('the edits of the guide fit the current files', () => {
  for (const batch of allBatches) {
    let copy = '';
    beforeAll(() => {
      copy = copyRepository();
    });
    afterAll(() => removeCopy(copy));

    for (const recipe of batch) {
      it(recipe.title, () => {
        expect(() => applyRecipe(copy, recipe)).not.toThrow();
      });
    }
  }
});

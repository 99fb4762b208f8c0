import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { generateFiles } from '../graphql-types.ts';

it('the committed types of the operations are those that a build writes', async () => {
  const files = await generateFiles();
  expect(files.length).toBeGreaterThan(0);
  for (const { path, text } of files) expect(await readFile(path, 'utf8')).toBe(text);
});

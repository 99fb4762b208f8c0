import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type HeapInspector,
  INSPECTOR_ENVIRONMENT,
  openHeapInspector,
} from '../../support/processes/heap-inspector.ts';
import type { SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { examplePath } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const LANES = 8;
const WARM_UP = 40;
const DOCUMENTS = 300;
const MEGABYTE = 1024 * 1024;

const stack = setUpStack({ environment: INSPECTOR_ENVIRONMENT });
let heap: HeapInspector;
let visitor: SiteVisitor;

beforeAll(async () => {
  heap = await openHeapInspector(stack.machines);
  visitor = await stack.signUp('ada');
});
afterAll(() => heap.close());

/** Requests `count` documents as a signed-in visitor, for whom no page is cached. */
async function readDocuments(count: number): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left-- > 0) {
      const { status, body } = await visitor.request(examplePath());
      expect(status).toBe(200);
      expect(body).toContain('ada@example.com');
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

it('releases the memory of every document within seconds', async () => {
  await readDocuments(WARM_UP);
  // Each document in memory has an AbortController.
  const aborts = () => heap.instancesOf('AbortController');
  const [abortsBefore, bytesBefore] = [await aborts(), await heap.bytesInUse()];
  await readDocuments(DOCUMENTS);
  // A timer of Remix keeps each document in memory for one second.
  const polling = { interval: 250 };
  await expect.poll(aborts, polling).toBeLessThan(abortsBefore + DOCUMENTS / 10);
  await expect.poll(() => heap.bytesInUse(), polling).toBeLessThan(bytesBefore + 4 * MEGABYTE);
});

import { afterEach, beforeEach, expect, type MockInstance, vi } from 'vitest';

// A test fails when anything is written to console.error that the test did not expect.
let consoleError: MockInstance<typeof console.error>;

beforeEach(() => {
  consoleError = vi.spyOn(console, 'error');
});

afterEach(() => {
  expect(consoleError.mock.calls, 'nothing is written to console.error').toEqual([]);
});

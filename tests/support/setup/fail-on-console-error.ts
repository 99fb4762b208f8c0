import { afterEach, beforeEach, expect, type MockInstance, vi } from 'vitest';

// An error on the console that a test did not expect is a failure of that test.
let consoleError: MockInstance<typeof console.error>;

beforeEach(() => {
  consoleError = vi.spyOn(console, 'error');
});

afterEach(() => {
  expect(consoleError.mock.calls, 'nothing is written to console.error').toEqual([]);
});

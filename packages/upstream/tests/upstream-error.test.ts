import { expect, it } from 'vitest';
import { ConfigurationError } from '../src/configuration-error.ts';
import { isUpstreamError, UpstreamError } from '../src/upstream-error.ts';

/** The class as another installed library contains it. */
class OtherUpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly code = 'CircuitOpen';
}

it('recognizes the errors of this copy of the class, of its subclasses, and of another copy', () => {
  expect(isUpstreamError(new UpstreamError('service', 'Code', 'message'))).toBe(true);
  expect(isUpstreamError(new ConfigurationError('service', 'Code', 'message', 'fix'))).toBe(true);
  expect(isUpstreamError(new OtherUpstreamError())).toBe(true);
});

it('does not recognize other errors, also those with a code, and no values that are not errors', () => {
  const withCode = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const values = [new Error('bug'), withCode, { name: 'UpstreamError', code: 'Code' }, null];
  expect(values.filter(isUpstreamError)).toEqual([]);
});

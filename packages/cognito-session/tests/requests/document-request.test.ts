import { describe, expect, it } from 'vitest';
import { isDocumentRequest, isFromOtherSite, isPrefetch } from '../../src/requests/document-request.ts';

describe('a request', () => {
  it.each([
    [{}, true],
    [{ 'sec-fetch-dest': 'document' }, true],
    [{ 'sec-fetch-dest': 'empty' }, false],
  ])('with the headers %j is for a document: %s', (headers, expected) => {
    expect(isDocumentRequest(new Headers(headers))).toBe(expected);
  });

  it.each([
    [{}, false],
    [{ 'sec-fetch-site': 'same-origin' }, false],
    [{ 'sec-fetch-site': 'same-site' }, true],
    [{ 'sec-fetch-site': 'cross-site' }, true],
  ])('with the headers %j comes from another site: %s', (headers, expected) => {
    expect(isFromOtherSite(new Headers(headers))).toBe(expected);
  });

  it.each([
    [{}, false],
    [{ 'sec-purpose': 'prefetch' }, true],
    [{ 'sec-purpose': 'prefetch;prerender' }, true],
    [{ purpose: 'prefetch' }, true],
    [{ 'sec-purpose': 'other;prefetch' }, false],
  ])('with the headers %j is a prefetch: %s', (headers, expected) => {
    expect(isPrefetch(new Headers(headers))).toBe(expected);
  });
});

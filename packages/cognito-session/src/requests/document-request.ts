/** What a request is for, by its Fetch Metadata headers (W3C Fetch Metadata Request Headers). */
import type { HeaderReader } from './same-origin.ts';

/** Whether a browser shows the response as a document. A request without the header (a crawler, curl) is one too. */
export function isDocumentRequest(headers: HeaderReader): boolean {
  return (headers.get('sec-fetch-dest') ?? 'document') === 'document';
}

/** Whether a page of another site, a sibling of this one included, caused the request, also through redirects. */
export function isFromOtherSite(headers: HeaderReader): boolean {
  return ['cross-site', 'same-site'].includes(headers.get('sec-fetch-site') ?? '');
}

/** Whether the browser prefetches a page that its user may never open (`Sec-Purpose`; older browsers send `Purpose`). */
export function isPrefetch(headers: HeaderReader): boolean {
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose') ?? '';
  return purpose.startsWith('prefetch');
}

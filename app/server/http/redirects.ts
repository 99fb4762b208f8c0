/** Answers of the routes that show nothing themselves. None of them may be kept by a cache. */

const HEADERS = { 'cache-control': 'private, no-store' };

/** 302, or 303 after a form was posted (RFC 9110 section 15.4). `location` must already be known to be safe. */
export function sendTo(location: string, status: 302 | 303 = 302): Response {
  return new Response(null, { status, headers: { ...HEADERS, location } });
}

/**
 * A page that goes on to `path` at once. Browsers hold `SameSite=Strict` cookies back from a chain of redirects that
 * began on another site; the way on from this page begins here.
 */
export function sendOnFromPage(path: string): Response {
  const target = path.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const html = `<!doctype html><meta charset="utf-8"><title>…</title><meta http-equiv="refresh" content="0;url=${target}"><a href="${target}">${target}</a>`;
  return new Response(html, { headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8' } });
}

/** 405 with the methods that there are (RFC 9110 section 15.5.6). */
export function methodNotAllowed(allow: string): Response {
  return new Response(null, {
    status: 405,
    statusText: 'Method Not Allowed',
    headers: { ...HEADERS, allow },
  });
}

/** Whether the browser asks only in case its user should come here (Fetch, `Sec-Purpose`; `Purpose` before that). */
export function isPrefetch(request: Request): boolean {
  const purpose = request.headers.get('sec-purpose') ?? request.headers.get('purpose') ?? '';
  return purpose.startsWith('prefetch');
}

/** The answer to a prefetch of what may only happen on purpose. The visit itself then asks anew. */
export function prefetchRefused(): Response {
  return new Response(null, { status: 403, statusText: 'Forbidden', headers: HEADERS });
}

/** Reads a header by its lower-case name; null when it is absent. */
export type HeaderReader = { get(name: string): string | null };

/**
 * Whether an unsafe request comes from this origin. `Sec-Fetch-Site` decides where the browser sends it, else `Origin`;
 * a request with neither is rejected, since every browser sends one with a form or a fetch. A contradicting `Origin` is
 * always rejected. `null` names no origin: browsers send it where the page withholds its referrer, also for the site's own.
 */
export function isSameOrigin(headers: HeaderReader, appOrigin: string): boolean {
  const stated = headers.get('origin');
  const origin = stated === 'null' ? null : stated;
  if (origin !== null && origin !== appOrigin) return false;
  const site = headers.get('sec-fetch-site');
  return site === null ? origin === appOrigin : site === 'same-origin';
}

/** Whether `text` contains a C0 control character or DEL. */
export function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}

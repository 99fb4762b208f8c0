/** A rendered page in the form in which it is kept: its head, its bodies, and the name that browsers ask again by. */
import { createHash } from 'node:crypto';
import { type Coding, encodeText } from '../http/content-coding.ts';
import { type RepeatedHead, toRepeatedHead } from '../http/repeated-head.ts';
import type { Log } from '../observability/log.ts';
import { inlineScriptHashes } from './inline-scripts.ts';

/** Heads are flat lists of names and values: what Node writes with the least work. */
export type KeptPage = {
  etag: string;
  /** What a 304 says too. */
  shared: readonly string[];
  /** The bodies with their heads, for the page in its codings. */
  toBodies: (encoded: Record<Coding, Buffer>) => Record<Coding, KeptBody>;
  bodies: Record<Coding, KeptBody>;
};

/** `firstHead` sets the cookie of a first visit, too. */
type KeptBody = { head: RepeatedHead; firstHead: RepeatedHead; body: Buffer };

export type PageHead = {
  /** For every answer, beside what the page itself says. */
  headers: Readonly<Record<string, string>>;
  /** The Content-Security-Policy of a document whose inline scripts are these sources. */
  policy: (scripts: readonly string[]) => string;
  /** The `Set-Cookie` line that remembers English for who came to `/` for the first time. */
  firstVisitCookie: string;
};

/** Whether a response can be everyone's: a plain 200 that sets no cookie and does not say itself how to be cached. */
export function isForEveryone({ status, headers }: Response): boolean {
  return status === 200 && !headers.has('set-cookie') && !headers.has('cache-control');
}

/** Takes in the response for `path`, with a policy for its scripts and quickly compressed. */
export async function keepPage(
  path: string,
  response: Response,
  { headers, policy, firstVisitCookie }: PageHead,
): Promise<KeptPage> {
  const html = Buffer.from(await response.arrayBuffer());
  const contentSecurityPolicy = policy(inlineScriptHashes(html.toString()));
  const digest = createHash('sha256').update(contentSecurityPolicy).update(html).digest('base64url');
  // Weak, because it names the page in all of its codings.
  const etag = `W/"${digest.slice(0, 22)}"`;
  const shared = Object.entries({
    ...headers,
    etag,
    // Not `public`: caches that ignore `Vary: Cookie` would show it to people who have signed in.
    'cache-control': 'private, no-cache',
    vary: path === '/' ? 'Accept-Encoding, Accept-Language, Cookie' : 'Accept-Encoding, Cookie',
    'content-security-policy': contentSecurityPolicy,
  }).flat();
  const described = [...shared, ...[...response.headers].flat()];
  const toBody = (coding: Coding, body: Buffer): KeptBody => {
    const encoding = coding === 'identity' ? [] : ['content-encoding', coding];
    const head = [...described, ...encoding, 'content-length', String(body.length)];
    const firstHead = [...head, 'set-cookie', firstVisitCookie];
    return { head: toRepeatedHead(head), firstHead: toRepeatedHead(firstHead), body };
  };
  const toBodies = ({ br, gzip, identity }: Record<Coding, Buffer>) => ({
    br: toBody('br', br),
    gzip: toBody('gzip', gzip),
    identity: toBody('identity', identity),
  });
  return { etag, shared, toBodies, bodies: toBodies(await encodeText(html, 'quick')) };
}

/**
 * Compresses pages as small as they get and puts that in place of what they were first sent with. One after the other:
 * each keeps a thread busy for a tenth of a second.
 */
export function createImprovement(log: Pick<Log, 'warn'>): (page: KeptPage) => void {
  let last = Promise.resolve();
  return (page) => {
    last = last
      .then(() => encodeText(page.bodies.identity.body, 'best'))
      .then((encoded) => {
        page.bodies = page.toBodies(encoded);
      })
      .catch((err: unknown) => log.warn({ err }, 'a page stays compressed as it is'));
  };
}

/** Whether `If-None-Match` names the tag, by weak comparison (RFC 9110 sections 8.8.3.2 and 13.1.2). */
export function isNamed(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag));
}

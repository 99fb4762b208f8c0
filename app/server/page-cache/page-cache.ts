/**
 * Pages from memory. What a visitor without a session sees depends on the address and the theme alone: it is rendered
 * once for each, from a request that nobody sent, so that nothing of any visitor can be in it. Head and bodies are kept
 * as one, because the head's policy names the scripts of just these bodies.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Theme } from '../../theme/theme.ts';
import { createCodingChoice } from '../http/content-coding.ts';
import { writeRepeatedHead } from '../http/repeated-head.ts';
import type { Log } from '../observability/log.ts';
import type { Asked } from '../observability/request-log.ts';
import {
  createImprovement,
  isForEveryone,
  isNamed,
  type KeptPage,
  keepPage,
  type PageHead,
} from './cached-page.ts';
import type { AnonymousVisit } from './page-cache-key.ts';

/** What was answered, for the log and the metrics. */
export type PageAnswer = { requestId: string; asked: Asked; status: 200 | 304; ms: number };

export type PageCacheOptions = PageHead & {
  /** Whether a request asks for such a page. */
  visitOf: (request: IncomingMessage) => AnonymousVisit | null;
  /** A page as nobody in particular sees it, without a policy for its scripts. */
  render: (path: string, theme: Theme) => Promise<Response>;
  onAnswer: (answer: PageAnswer) => void;
  log: Pick<Log, 'error' | 'warn'>;
};

/** Answers from memory, or calls `next`: the shape of a middleware, in front of all others. */
export type PageCache = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * The pages of one build. Bounded by the visits that `visitOf` knows: one entry for each path and theme. A page that
 * is no plain 200, sets a cookie or says itself how it may be cached is left to `next`, as is one that fails.
 */
export function createPageCache(options: PageCacheOptions): PageCache {
  const { visitOf, log } = options;
  const kept: Record<Theme, Map<string, KeptPage | null>> = {
    dark: new Map(),
    light: new Map(),
    system: new Map(),
  };
  const rendering = new Map<string, Promise<KeptPage | null>>();
  const improve = createImprovement(log);
  const send = createSending(options);

  const fill = async (path: string, theme: Theme, key: string): Promise<KeptPage | null> => {
    try {
      const response = await options.render(path, theme);
      const page = isForEveryone(response) ? await keepPage(path, response, options) : null;
      // What failed may come next time; what is not for everyone stays so.
      if (response.status < 500) kept[theme].set(path, page);
      if (page) improve(page);
      return page;
    } catch (err) {
      log.error({ err, path }, 'a page for everyone could not be rendered');
      return null;
    } finally {
      rendering.delete(key);
    }
  };

  return (request, response, next) => {
    const visit = visitOf(request);
    if (!visit) return next();
    const startedAt = performance.now();
    const { asked, theme } = visit;
    const page = kept[theme].get(asked.path);
    if (page) return send(request, response, visit, page, startedAt);
    if (page === null) return next();
    const key = `${theme} ${asked.path}`;
    const filling = rendering.get(key) ?? fill(asked.path, theme, key);
    rendering.set(key, filling);
    void filling.then((filled) => (filled ? send(request, response, visit, filled, startedAt) : next()));
  };
}

/** Writes one answer: what is the visit's own, then what is everyone's. */
function createSending({ firstVisitCookie, onAnswer }: PageCacheOptions) {
  const chooseCoding = createCodingChoice();
  return (
    { headers }: IncomingMessage,
    response: ServerResponse,
    { asked, isFirst }: AnonymousVisit,
    page: KeptPage,
    startedAt: number,
  ): void => {
    const requestId = randomUUID();
    const status = isNamed(headers['if-none-match'], page.etag) ? 304 : 200;
    if (status === 304) {
      const cookie = isFirst ? ['set-cookie', firstVisitCookie] : [];
      response.writeHead(304, ['x-request-id', requestId, ...cookie, ...page.shared]).end();
    } else {
      const { head, firstHead, body } = page.bodies[chooseCoding(headers['accept-encoding'])];
      writeRepeatedHead(response, requestId, isFirst ? firstHead : head);
      response.end(asked.method === 'HEAD' ? undefined : body);
    }
    onAnswer({ requestId, asked, status, ms: performance.now() - startedAt });
  };
}

/**
 * Counts and logs violations of the Content-Security-Policy. What is kept of a report is neither personal nor long, and
 * memory and log are bounded.
 */

import type { Log } from '@tenfold/site-server';
import type { Clock } from '@tenfold/upstream';
import { z } from 'zod';
import type { Metrics } from '../metrics/metrics.ts';

/** The directive, a keyword, scheme or origin of what was blocked, and the path of the page. */
type Violation = { directive: string; blocked: string; page: string };
type Report = Violation & { source: string };

const MAX_REPORTS = 20;
const MAX_PAGE_LENGTH = 200;
const MAX_BLOCKED_LENGTH = 100;
const WINDOW_MS = 60 * 60 * 1000;
const MAX_KINDS = 100;

/** The directives that browsers report (Content Security Policy level 3, section 6). They label a metric. */
const DIRECTIVES = new Set([
  ...['base-uri', 'child-src', 'connect-src', 'default-src', 'fenced-frame-src', 'font-src', 'form-action'],
  ...['frame-ancestors', 'frame-src', 'img-src', 'manifest-src', 'media-src', 'object-src', 'script-src'],
  ...['script-src-attr', 'script-src-elem', 'style-src', 'style-src-attr', 'style-src-elem', 'worker-src'],
]);

/** What is blocked when it has no address (Content Security Policy level 3, section 2.4). */
const KEYWORDS = /^(?:inline|eval|wasm-eval|self|trusted-types-policy|trusted-types-sink)$/;
const EXTENSION = /^[a-z-]*-extension(?::|$)/i;

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** The body of each media type. Older browsers name the directive only in `violated-directive`. */
const formats = new Map<string, z.ZodType<Report[]>>([
  [
    'application/csp-report',
    z
      .object({
        'csp-report': z.object({
          'document-uri': z.string(),
          'violated-directive': text,
          'effective-directive': text,
          'blocked-uri': text,
          'source-file': text,
        }),
      })
      .transform(({ 'csp-report': report }) => [
        {
          page: report['document-uri'],
          directive: report['effective-directive'] || report['violated-directive'].replace(/ .*/s, ''),
          blocked: report['blocked-uri'],
          source: report['source-file'],
        },
      ]),
  ],
  [
    'application/reports+json',
    z
      .array(z.object({ type: z.string(), body: z.unknown().optional() }))
      .transform((list) => list.filter(({ type }) => type === 'csp-violation').map(({ body }) => body))
      .pipe(
        z.array(
          z
            .object({
              documentURL: z.string(),
              effectiveDirective: z.string(),
              blockedURL: text,
              sourceFile: text,
            })
            .transform(({ documentURL, effectiveDirective, blockedURL, sourceFile }) => ({
              page: documentURL,
              directive: effectiveDirective,
              blocked: blockedURL,
              source: sourceFile,
            })),
        ),
      ),
  ],
]);

type PolicyReportsDeps = {
  env: { appOrigin: string };
  log: Pick<Log, 'warn'>;
  clock: Clock;
  metrics: Pick<Metrics, 'policyViolated'>;
};

/** The violations that a process was told of. Each kind is logged once an hour. */
export class PolicyReports {
  readonly #deps: PolicyReportsDeps;
  readonly #logged = new Set<string>();
  #windowEnd = 0;

  constructor(deps: PolicyReportsDeps) {
    this.#deps = deps;
  }

  /** Whether this is the media type of reports. */
  static isMediaType(type: string): boolean {
    return formats.has(type);
  }

  /** Counts the violations in a body, and logs new ones. Returns false for a body that is no report. */
  receive(mediaType: string, json: unknown): boolean {
    const reports = formats.get(mediaType)?.safeParse(json).data;
    for (const report of reports?.slice(0, MAX_REPORTS) ?? []) {
      const violation = reduce(report, this.#deps.env.appOrigin);
      if (!violation) continue;
      this.#deps.metrics.policyViolated(violation.directive);
      this.#logOnce(violation);
    }
    return reports !== undefined;
  }

  #logOnce(violation: Violation): void {
    const { log, clock } = this.#deps;
    if (clock() >= this.#windowEnd) {
      this.#logged.clear();
      this.#windowEnd = clock() + WINDOW_MS;
    }
    const kind = JSON.stringify(violation);
    if (this.#logged.has(kind) || this.#logged.size > MAX_KINDS) return;
    this.#logged.add(kind);
    if (this.#logged.size <= MAX_KINDS) log.warn(violation, 'content security policy violated');
    else log.warn({ limit: MAX_KINDS }, 'further policy violations of this hour are only counted');
  }
}

/** Null for a violation in another site's document or by a browser extension. */
function reduce({ page, directive, blocked, source }: Report, appOrigin: string): Violation | null {
  if (EXTENSION.test(blocked) || EXTENSION.test(source)) return null;
  const address = URL.canParse(page) ? new URL(page) : null;
  if (address?.origin !== appOrigin) return null;
  return {
    directive: DIRECTIVES.has(directive) ? directive : 'other',
    blocked: originOf(blocked).slice(0, MAX_BLOCKED_LENGTH),
    page: address.pathname.slice(0, MAX_PAGE_LENGTH),
  };
}

/** A path or a query may hold personal data, and so may what follows `data:`. */
function originOf(blocked: string): string {
  if (KEYWORDS.test(blocked)) return blocked;
  if (/^[a-z][a-z0-9+.-]{0,20}$/i.test(blocked)) return `${blocked.toLowerCase()}:`;
  if (!URL.canParse(blocked)) return 'other';
  const { protocol, host } = new URL(blocked);
  return /^(?:https?|wss?):$/.test(protocol) ? `${protocol}//${host}` : protocol;
}

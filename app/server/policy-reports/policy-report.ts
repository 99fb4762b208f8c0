/**
 * Parses reports of Content-Security-Policy violations in both formats of browsers, and reduces them to what is neither
 * personal nor long.
 */
import { z } from 'zod';

/** What is kept of a report. */
export type PolicyViolation = {
  /** The violated directive, or `other` for one that browsers do not have. */
  directive: string;
  /** A keyword such as `inline`, the scheme, or the origin of what was blocked. */
  blocked: string;
  /** The path of the page, without its query. */
  page: string;
};

/** Reports of one request beyond this number are ignored. */
const MAX_REPORTS = 20;
const MAX_PAGE_LENGTH = 200;
const MAX_BLOCKED_LENGTH = 100;

/** The directives that browsers report (Content Security Policy level 3, section 6). They label a metric. */
const DIRECTIVES = new Set([
  ...['base-uri', 'child-src', 'connect-src', 'default-src', 'fenced-frame-src', 'font-src', 'form-action'],
  ...['frame-ancestors', 'frame-src', 'img-src', 'manifest-src', 'media-src', 'object-src', 'script-src'],
  ...['script-src-attr', 'script-src-elem', 'style-src', 'style-src-attr', 'style-src-elem', 'worker-src'],
]);

/** What is blocked when it has no address (Content Security Policy level 3, section 2.4). */
const KEYWORDS = new Set([
  'inline',
  'eval',
  'wasm-eval',
  'self',
  'trusted-types-policy',
  'trusted-types-sink',
]);

/** Browsers name the scheme alone, or the whole address. */
const EXTENSION = /^[a-z-]*-extension(?::|$)/i;

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** `application/csp-report` (Content Security Policy level 3, section 5.2). Older browsers name the directive only once. */
const deprecatedReport = z.object({
  'csp-report': z.object({
    'document-uri': z.string(),
    'violated-directive': text,
    'effective-directive': text,
    'blocked-uri': text,
    'source-file': text,
  }),
});

/** `application/reports+json` (Reporting API, section 2.4): reports of several kinds. */
const reports = z.array(z.object({ type: z.string(), body: z.unknown().optional() }));
const violationBody = z.object({
  documentURL: z.string(),
  effectiveDirective: z.string(),
  blockedURL: text,
  sourceFile: text,
});

type Report = { page: string; directive: string; blocked: string; source: string };

/**
 * Returns the violations in a body, or null for a body in another format. Violations of other sites' documents and of
 * browser extensions are left out.
 */
export function parsePolicyReports(
  mediaType: 'application/csp-report' | 'application/reports+json',
  json: unknown,
  appOrigin: string,
): PolicyViolation[] | null {
  const parsed = mediaType === 'application/csp-report' ? parseDeprecated(json) : parseReports(json);
  return parsed?.slice(0, MAX_REPORTS).flatMap((report) => reduce(report, appOrigin) ?? []) ?? null;
}

function parseDeprecated(json: unknown): Report[] | null {
  const report = deprecatedReport.safeParse(json).data?.['csp-report'];
  if (!report) return null;
  const directive = report['effective-directive'] || (report['violated-directive'].split(' ', 1)[0] ?? '');
  return [
    {
      page: report['document-uri'],
      directive,
      blocked: report['blocked-uri'],
      source: report['source-file'],
    },
  ];
}

function parseReports(json: unknown): Report[] | null {
  const list = reports.safeParse(json).data;
  const bodies = list?.filter(({ type }) => type === 'csp-violation').map(({ body }) => body);
  const parsed = z.array(violationBody).safeParse(bodies).data;
  return (
    parsed?.map(({ documentURL, effectiveDirective, blockedURL, sourceFile }) => ({
      page: documentURL,
      directive: effectiveDirective,
      blocked: blockedURL,
      source: sourceFile,
    })) ?? null
  );
}

function reduce({ page, directive, blocked, source }: Report, appOrigin: string): PolicyViolation | null {
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
  if (KEYWORDS.has(blocked)) return blocked;
  if (/^[a-z][a-z0-9+.-]{0,20}$/i.test(blocked)) return `${blocked.toLowerCase()}:`;
  if (!URL.canParse(blocked)) return 'other';
  const { protocol, host } = new URL(blocked);
  return /^(?:https?|wss?):$/.test(protocol) ? `${protocol}//${host}` : protocol;
}

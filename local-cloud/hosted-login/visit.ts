import { timingSafeEqual } from 'node:crypto';
import { type CloudReply, type CloudRequest, formOf } from '../http/exchange.ts';
import {
  type AuthorizationRequest,
  callbackUrl,
  parseAuthorizationRequest,
} from '../oauth/authorization-request.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import { languageOf } from './language.ts';
import { type Language, type Translate, translator } from './messages.ts';
import type { Remembered, VisitorMemory } from './visitor-memory.ts';

/** One request of a visitor to one of the hosted login's pages. */
export type Visit = {
  request: CloudRequest;
  /** What the site asked for; every page carries it on in its address. */
  authorization: AuthorizationRequest;
  language: Language;
  t: Translate;
  visitorId: string;
  remembered: Remembered;
  remember(remembered: Remembered): void;
  /** `Set-Cookie` lines that every reply carries. */
  cookies: string[];
  /** A field of the form that was sent; empty when it was not. */
  field(name: 'email' | 'password' | 'code' | 'intent'): string;
  /** Whether the form that was sent is one of ours. */
  isOwnForm(): boolean;
  /** The address of another page, with everything that the site asked for. */
  link(path: string, changed?: Record<string, string>): string;
  /** Back to the site, with nothing done. */
  cancelUrl: string;
};

/** The field that repeats the visitor's id. */
export const CSRF_FIELD = '_csrf';

/** Opens a visit; a request that no site stands behind is refused. */
export function openVisit(
  request: CloudRequest,
  { userPool, memory }: { userPool: UserPool; memory: VisitorMemory },
): { visit: Visit } | { refusal: CloudReply } {
  const parsed = parseAuthorizationRequest(request.url.searchParams, userPool);
  if ('refusal' in parsed) return parsed;
  const authorization = parsed.request;
  const { language, cookie: languageCookie } = languageOf(request);
  const { visitorId, cookie: visitorCookie } = memory.identify(request);
  const form = formOf(request);
  const visit: Visit = {
    request,
    authorization,
    language,
    t: translator(language),
    visitorId,
    remembered: memory.recall(visitorId),
    remember: (remembered) => memory.remember(visitorId, remembered),
    cookies: [languageCookie, visitorCookie].filter((cookie) => cookie !== null),
    field: (name) => form.get(name) ?? '',
    isOwnForm: () => isSameSite(request) && equalIds(form.get(CSRF_FIELD) ?? '', visitorId),
    link: (path, changed = {}) => linkTo(path, request.url.searchParams, changed),
    cancelUrl: callbackUrl(authorization.redirectUri, {
      error_description: 'The user cancelled.',
      state: authorization.state,
      error: 'access_denied',
    }),
  };
  return { visit };
}

function linkTo(path: string, params: URLSearchParams, changed: Record<string, string>): string {
  const kept = new URLSearchParams(params);
  for (const [name, value] of Object.entries(changed)) kept.set(name, value);
  return `${path}?${kept}`;
}

/** A browser says where a form comes from; who says nothing is no browser, and has the token to show. */
function isSameSite({ headers }: CloudRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

function equalIds(left: string, right: string): boolean {
  const [sent, kept] = [Buffer.from(left), Buffer.from(right)];
  return sent.length === kept.length && timingSafeEqual(sent, kept);
}

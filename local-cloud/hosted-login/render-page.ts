import { readFileSync } from 'node:fs';
import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { CloudReply, Handler } from '../http/exchange.ts';

/**
 * A page of the local cloud: no scripts, nothing from elsewhere, in no frame and no cache. Its forms may lead to
 * `formTargets` (origins), since browsers hold redirects after a form to the policy too.
 */
export function renderPage(
  page: ReactElement,
  {
    status = 200,
    cookies = [],
    formTargets = [],
  }: { status?: number; cookies?: string[]; formTargets?: string[] } = {},
): CloudReply {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    'img-src data:',
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy.join('; '),
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}),
    },
    body: `<!doctype html>${renderToStaticMarkup(page)}`,
  };
}

/** `GET /_assets/pages.css`. */
export function createStylesheet(): Handler {
  const css = readFileSync(new URL('./pages.css', import.meta.url));
  return () => ({
    status: 200,
    headers: {
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    },
    body: css,
  });
}

import { readFileSync } from 'node:fs';
import type { ReactElement, ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { CloudResponse, Handler } from '../http/exchange.ts';

type PageProps = { language: string; title: string; children: ReactNode };

/** An HTML document with the stylesheet of the local cloud. */
export function Page({ language, title, children }: PageProps) {
  return (
    <html lang={language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/_assets/pages.css" />
        <script type="module" src="/_assets/show-password.js" />
      </head>
      <body>{children}</body>
    </html>
  );
}

/**
 * Returns a response with a page. It must not be cached or framed, and its policy allows only the local cloud's own
 * script and style sheet. Forms may redirect to the origins in `formTargets`: browsers apply `form-action` to redirects
 * too.
 */
export function renderPage(
  page: ReactElement,
  {
    status = 200,
    cookies = [],
    formTargets = [],
  }: { status?: number; cookies?: string[]; formTargets?: string[] } = {},
): CloudResponse {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
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

const assets = {
  'pages.css': { type: 'text/css', url: new URL('./pages.css', import.meta.url) },
  'show-password.js': { type: 'text/javascript', url: new URL('./show-password.js', import.meta.url) },
} as const;

/** Returns the handler of `GET /_assets/{name}`. `added` is put at its end. */
export function createAsset(name: keyof typeof assets, added = ''): Handler {
  const { type, url } = assets[name];
  const body = readFileSync(url, 'utf8') + added;
  return () => ({
    status: 200,
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    },
    body,
  });
}

/** The answer to a request that no route sees: a small page in the visitor's language, or JSON for programs. */
import type { i18n } from 'i18next';
import { localeOfPath } from '../../i18n/locales.ts';
import type { Messages } from '../../i18n/messages.server.ts';

export type RefusalAnswer = { headers: Record<string, string>; body: string };

/** The answer with `status`. `code` goes to programs only; neither form says more than that and the request's id. */
export function renderRefusal(
  refusal: { status: number; code: string },
  request: { path: string; accept: string; requestId: string; nonce: string },
  messages: Messages,
): RefusalAnswer {
  if (!/text\/html|\*\/\*/.test(request.accept) || request.path.startsWith('/api/')) {
    return {
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ errors: [{ errorType: refusal.code }], requestId: request.requestId }),
    };
  }
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'nonce-${request.nonce}'; frame-ancestors 'none'; base-uri 'none'`,
    },
    body: refusalPage(refusal.status, request, messages),
  };
}

function refusalPage(
  status: number,
  { path, requestId, nonce }: { path: string; requestId: string; nonce: string },
  messages: Messages,
): string {
  const locale = localeOfPath(path);
  const { t } = messages.instance(locale.code) satisfies i18n;
  const [title, description] = [t('error.refused.title'), t('error.refused.description')].map(escapeHtml);
  return `<!doctype html>
<html lang="${locale.iso}" dir="${locale.dir}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title} · Tenfold</title>
<style nonce="${nonce}">body{font:1.125rem/1.6 system-ui,sans-serif;max-inline-size:36rem;margin:20vh auto 0;padding:0 1.5rem}a{color:inherit}small{opacity:.7}</style>
<p><small>${status}</small><h1>${title}</h1><p>${description}
<p><a href="${locale.code === 'en' ? '/' : `/${locale.code}`}">${escapeHtml(t('error.home'))}</a>
<p><small>${escapeHtml(t('error.requestId'))}<br><bdi>${escapeHtml(requestId)}</bdi></small>
</html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

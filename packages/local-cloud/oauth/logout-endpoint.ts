import { type Handler, redirect } from '../http/exchange.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import { errorPageRedirect } from './authorization-request.ts';
import type { BrowserSessions } from './browser-sessions.ts';

/**
 * Returns the handler of `GET /logout`. It ends the session of the hosted login and revokes no tokens. It
 * redirects to `logout_uri`, a registered sign-out URL of the site, or with `redirect_uri` to the sign-in page.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html
 */
export function createLogoutEndpoint({
  userPool,
  browserSessions,
}: {
  userPool: UserPool;
  browserSessions: BrowserSessions;
}): Handler {
  return (request) => {
    const params = request.url.searchParams;
    const clientId = params.get('client_id') ?? '';
    const client = userPool.findClient(clientId);
    const logoutUri = params.get('logout_uri');
    if (!client) return errorPageRedirect('invalid_client', clientId);
    if (logoutUri !== null) {
      if (!client.signOutUrls.has(logoutUri)) return errorPageRedirect('redirect_mismatch', clientId);
      return redirect(logoutUri, { 'set-cookie': browserSessions.end(request) });
    }
    if (!client.callbackUrls.has(params.get('redirect_uri') ?? ''))
      return errorPageRedirect('redirect_mismatch', clientId);
    return redirect(`/login${request.url.search}`, { 'set-cookie': browserSessions.end(request) });
  };
}

/**
 * What a public page needs of its context, also where there is none: the build is a standard Remix build, and any
 * Remix server can render its public pages. Sign-in and the data API need server.ts.
 */
import type { AppLoadContext } from '@remix-run/node';
import { loadMessages, type Messages } from '../i18n/messages.server.ts';
import { createIcons, type Icons } from './icons/icons.ts';
import { createLog } from './observability/log.ts';
import { readTheme } from './preferences/preferences.ts';
import type { RequestContext } from './request-context.ts';
import { systemClock } from './resilience/clock.ts';

export type PublicContext = Pick<
  RequestContext,
  'requestId' | 'nonce' | 'theme' | 'messages' | 'log' | 'session' | 'notice' | 'icons'
> & {
  env: { appOrigin: string; userPool: { domain: string } };
};

let messages: Messages | undefined;
let icons: Icons | undefined;

/** The request's context, or an anonymous visitor's under a server that opens none. */
export function publicContext(context: AppLoadContext, request: Request): PublicContext {
  if ('requestId' in context) return context;
  const log = createLog('info');
  messages ??= loadMessages('build/client/locales');
  icons ??= createIcons({ env: { iconApiHosts: [] }, clock: systemClock, log });
  return {
    requestId: crypto.randomUUID(),
    nonce: crypto.randomUUID(),
    theme: readTheme(request),
    messages,
    log,
    session: { state: 'anonymous' },
    notice: null,
    icons,
    env: { appOrigin: new URL(request.url).origin, userPool: { domain: '' } },
  };
}

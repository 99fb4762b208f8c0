/**
 * What a public page needs of its context, also where there is none: the build is a standard Remix build, and any
 * Remix server can render its public pages. Sign-in and the data API need server.ts.
 */
import type { AppLoadContext } from '@remix-run/node';
import { createLog } from './log.server.ts';
import { loadMessages, type Messages } from './messages.server.ts';
import { readTheme } from './preferences.server.ts';
import type { RequestContext } from './request-context.server.ts';

export type PublicContext = Pick<
  RequestContext,
  'requestId' | 'nonce' | 'theme' | 'messages' | 'log' | 'session' | 'notice'
> & {
  env: { appOrigin: string; userPool: { domain: string } };
};

let messages: Messages | undefined;

/** The request's context, or an anonymous visitor's under a server that opens none. */
export function publicContext(context: AppLoadContext, request: Request): PublicContext {
  if ('requestId' in context) return context;
  messages ??= loadMessages('build/client/locales');
  return {
    requestId: crypto.randomUUID(),
    nonce: crypto.randomUUID(),
    theme: readTheme(request),
    messages,
    log: createLog('info'),
    session: { state: 'anonymous' },
    notice: null,
    env: { appOrigin: new URL(request.url).origin, userPool: { domain: '' } },
  };
}

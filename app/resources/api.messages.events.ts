import type { LoaderFunctionArgs } from '@remix-run/node';
import { isFromOtherSite } from '@tenfold/cognito-session';
import { errorResponse } from '../server/errors/error-response.ts';
import { requireSession } from '../server/rendering/require-session.ts';

const foreignOrigin = {
  status: 403,
  code: 'ForeignOrigin',
  message: 'Only pages of this site may call this API.',
};

const noData = { status: 404, code: 'NotFound', message: 'The stream has no data for pages.' };

/** Without buffers and compression of proxies, each event arrives at once. */
const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'private, no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Sends events about messages to signed-in visitors: `created` with the message, without `mine`; `deleted` with its `id`;
 * `gap` when the messages must be loaded again.
 */
export function loader({ request, context }: LoaderFunctionArgs): Response {
  if (isFromOtherSite(request.headers)) return errorResponse(foreignOrigin, context.requestId);
  // Remix would collect the stream to its end.
  if (/^[^?]*\.data(?:\?|$)/.test(context.target)) return errorResponse(noData, context.requestId);
  // 401 instead of a redirect, with which browsers would not stop to connect again.
  const session = requireSession({ ...context, isDataRequest: true });
  if (request.method === 'HEAD') return new Response(null, { headers });
  const events = context.liveMessages.open(session, context.signal);
  return events instanceof ReadableStream
    ? new Response(events, { headers })
    : errorResponse(events, context.requestId);
}

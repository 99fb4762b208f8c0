import type { ActionFunctionArgs } from '@remix-run/node';
import { isRejected, readWebBody } from '@tenfold/site-server';
import { parseJson } from '@tenfold/upstream';
import { PolicyReports } from '../server/content-policy/policy-reports.ts';
import { errorResponse } from '../server/errors/error-response.ts';
import { methodNotAllowed } from '../server/errors/redirects.ts';

/** A report has 1 to 2 kB; browsers send several in one request. */
const MAX_REPORT_BYTES = 32 * 1024;

export function loader(): Response {
  return methodNotAllowed('POST');
}

/**
 * Receives the reports that browsers send when a document violates its Content-Security-Policy, in both formats: 204, or
 * 415, 413, and 400 for a body that is no report. Nothing that identifies a visitor is read.
 */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  const { requestId, policyReports } = context;
  const mediaType = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!PolicyReports.isMediaType(mediaType)) {
    return errorResponse({ status: 415, code: 'UnsupportedMediaType' }, requestId);
  }
  const body = await readWebBody(request.body, MAX_REPORT_BYTES);
  if (isRejected(body)) return errorResponse(body, requestId);
  return policyReports.receive(mediaType, parseJson(new TextDecoder().decode(body)))
    ? new Response(null, { status: 204 })
    : errorResponse({ status: 400, code: 'MalformedReport' }, requestId);
}

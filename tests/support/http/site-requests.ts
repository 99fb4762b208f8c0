/** Requests that the pages of the site send. */
import type { RawRequest } from './raw-request.ts';

type RequestOptions = Required<Pick<RawRequest, 'method' | 'headers'>> & { body: string };

const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

/** Returns the options of a request that submits a form. */
export function formSubmission(
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): RequestOptions {
  const body = new URLSearchParams(fields).toString();
  return { method: 'POST', headers: { ...FORM_TYPE, ...headers }, body };
}

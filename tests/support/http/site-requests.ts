/** Requests that the pages of the site send. */
import { locales, localizePath } from '../../../app/i18n/locales.ts';
import { LIST_MESSAGES } from '../../../app/pages/test-message/test-message.graphql.generated.ts';
import { pages } from '../../../app/pages.ts';
import type { RawRequest } from './raw-request.ts';

type RequestOptions = Required<Pick<RawRequest, 'method' | 'headers'>> & { body: string };

export const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
export const JSON_TYPE = { 'content-type': 'application/json' };

/** The GraphQL request that lists the messages. */
export const LIST_MESSAGES_BODY = JSON.stringify({ query: LIST_MESSAGES.query });

/** Every page in every locale, with its path. */
export const localizedPages = pages.flatMap((page) =>
  locales.map((locale) => ({ page, locale, path: localizePath(`/${page.slug}`, locale) })),
);
export const pagePaths = localizedPages.map(({ path }) => path);

/** Returns the options of a request that submits a form. */
export function formSubmission(
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): RequestOptions {
  const body = new URLSearchParams(fields).toString();
  return { method: 'POST', headers: { ...FORM_TYPE, ...headers }, body };
}

/** Returns the options of a request to the GraphQL proxy, by default one that lists the messages. */
export function graphqlRequest(body = LIST_MESSAGES_BODY, contentType = 'application/json'): RequestOptions {
  return { method: 'POST', headers: { 'content-type': contentType }, body };
}

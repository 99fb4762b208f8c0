import type { i18n } from 'i18next';

/** A status with a description. The keys of the texts are typed, and the status of an error is any number. */
type Described = 400 | 403 | 404 | 413 | 421 | 429 | 500 | 502 | 503;

/**
 * Returns the statuses whose title and whose description in `common.json`, under `error`, an error has. Statuses without
 * a title of their own have that of 400 or 500, and some have only a title.
 */
export function errorTexts({ exists }: Pick<i18n, 'exists'>, status: number) {
  const title = exists(`error.${status}.title`) ? status : status < 500 ? 400 : 500;
  const description = exists(`error.${title}.description`) ? title : title < 500 ? 400 : 502;
  return { title: title as Described, description: description as Described };
}

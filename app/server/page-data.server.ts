/** The part of a page's data that is the same for every visitor: its words and what its head says. */
import type { AppLoadContext } from '@remix-run/node';
import type { ResourceLanguage } from 'i18next';
import { localeOfPath } from '../i18n/locales.ts';
import { type PageName, pages } from '../pages.ts';
import { publicContext } from './public-context.server.ts';

export type PageData = {
  messages: ResourceLanguage;
  /** Null on the home page, whose title is the site's name. */
  title: string | null;
  description: string;
};

/** The static data of a page in the language of the request's path. */
export function pageData(
  name: PageName,
  { request, context }: { request: Request; context: AppLoadContext },
): PageData {
  const namespace = pages.find((page) => page.name === name)?.namespace ?? 'common';
  const locale = localeOfPath(new URL(request.url).pathname);
  const { messages } = publicContext(context, request);
  const { t } = messages.instance(locale.code);
  return {
    messages: messages.of(locale.code, [namespace]),
    title: name === 'index' ? null : t('title', { ns: namespace }),
    description: t('description', { ns: namespace }),
  };
}

/** The addresses of pages with parameters in the sitemap. */
import type { AppLoadContext } from '@remix-run/node';
import type { Page } from '../../pages.ts';

/** The module `sitemap.server.ts` in the folder of a page. */
type SitemapModule = {
  /** Returns the parameters of every address that visitors without a session may open. */
  default: (context: AppLoadContext) => Promise<readonly Readonly<Record<string, string>>[]>;
};

const modules = import.meta.glob<SitemapModule>('../../pages/*/sitemap.server.ts', { eager: true });

/** Returns what the `sitemap.server.ts` of a page returns, or nothing if there is no such file. */
export async function parametersInSitemap({ namespace }: Pick<Page, 'namespace'>, context: AppLoadContext) {
  return (await modules[`../../pages/${namespace}/sitemap.server.ts`]?.default(context)) ?? [];
}

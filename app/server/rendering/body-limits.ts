/** How many bytes the body of a request for a route may have. */
import { MAX_BODY_BYTES, MAX_FORM_BYTES } from '@tenfold/site-server';
import { locales } from '../../i18n/locales.ts';
import { routeIdOf } from '../../i18n/localized-page.ts';
import { pages as sitePages } from '../../pages.ts';

/** The proxy of the data API. A larger body than a form is for signed-in visitors: the limits of their sessions apply to them. */
const PROXY = 'api/graphql';

export type BodyLimits = {
  /** Returns the limit in bytes for a route, whose id is null if there is none. */
  of(routeId: string | null, isSignedIn: boolean): number;
  /** The largest of all limits, in bytes. */
  largest: number;
};

/** Returns the limits of the site, which are those of its pages and of the proxy. */
export function createBodyLimits(
  pages: readonly { name: string; maxBodyBytes?: number | undefined }[] = sitePages,
): BodyLimits {
  const ofPages = new Map(
    pages.flatMap((page) =>
      locales.map((locale) => [routeIdOf(page, locale), page.maxBodyBytes ?? MAX_FORM_BYTES] as const),
    ),
  );
  return {
    of(routeId, isSignedIn) {
      if (routeId === PROXY && isSignedIn) return MAX_BODY_BYTES;
      return ofPages.get(routeId ?? '') ?? MAX_FORM_BYTES;
    },
    largest: Math.max(MAX_BODY_BYTES, ...ofPages.values()),
  };
}

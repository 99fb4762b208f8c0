/** Addresses outside the site that its operator configured. */
import { useRootData } from '../document/root-data.ts';

type SiteLinks = { source: string | null; docs: string | null; privacyContact: string | null };

const NO_LINKS: SiteLinks = { source: null, docs: null, privacyContact: null };

/** The configured addresses; null for each one that is not set. */
export function useSiteLinks(): SiteLinks {
  return useRootData()?.links ?? NO_LINKS;
}

/** The address of a file in the source code. For hosts other than GitHub and GitLab it is that of the repository. */
export function sourceFileUrl(source: string, path: string): string {
  const { hostname } = new URL(source);
  if (hostname === 'github.com') return `${source}/blob/HEAD/${path}`;
  if (hostname === 'gitlab.com') return `${source}/-/blob/HEAD/${path}`;
  return source;
}

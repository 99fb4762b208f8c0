import { useLocation } from '@remix-run/react';
import { RETURN_TO } from '~/client/navigation/return-to.ts';
import { MAX_RETURN_TO_LENGTH } from '~/i18n/localized-page.ts';

/**
 * Path and query of the current page, without a query that is too long to return to. `addHashToReturnTo` adds the hash in
 * the browser.
 */
function useReturnTo(): string {
  const { pathname, search } = useLocation();
  return pathname.length + search.length > MAX_RETURN_TO_LENGTH ? pathname : pathname + search;
}

/** A hidden field with the address to which the form's action redirects. */
export function ReturnToField() {
  return <input type="hidden" name={RETURN_TO} value={useReturnTo()} />;
}

/** The address that starts a sign-in or sign-up and returns to the current page. */
export function useSignInAddress(action: 'sign-in' | 'sign-up' = 'sign-in'): string {
  return `/auth/${action}?${new URLSearchParams({ [RETURN_TO]: useReturnTo() })}`;
}

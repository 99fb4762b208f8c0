import { useLocation } from '@remix-run/react';
import { RETURN_TO } from '~/client/navigation/return-to.ts';

/** Path and query of the page that is shown. The hash is not here: no server knows it (see `keepHashInForms`). */
export function useReturnTo(): string {
  const { pathname, search } = useLocation();
  return pathname + search;
}

/** Tells a form's action which page to come back to. */
export function ReturnToField() {
  return <input type="hidden" name={RETURN_TO} value={useReturnTo()} />;
}

/** Where signing in or signing up begins, with the way back to the page that is shown. */
export function useSignInAddress(action: 'sign-in' | 'sign-up' = 'sign-in'): string {
  return `/auth/${action}?${new URLSearchParams({ [RETURN_TO]: useReturnTo() })}`;
}

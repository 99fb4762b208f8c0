import { useLocation } from '@remix-run/react';
import type { FormEvent } from 'react';

const NAME = 'returnTo';

/** Path and query of the page that is shown. The hash is not here: no server knows it. */
export function useReturnTo(): string {
  const { pathname, search } = useLocation();
  return pathname + search;
}

/** Tells a form's action which page to come back to. */
export function ReturnToField() {
  return <input type="hidden" name={NAME} value={useReturnTo()} />;
}

/** For a form's `onSubmit`: with scripts at hand the way back has the hash too. */
export function keepHash(event: FormEvent<HTMLFormElement>) {
  const field = event.currentTarget.elements.namedItem(NAME);
  if (!(field instanceof HTMLInputElement)) return;
  field.value = window.location.pathname + window.location.search + window.location.hash;
}

/** Where signing in or signing up begins, with the way back to the page that is shown. */
export function useSignInAddress(action: 'sign-in' | 'sign-up' = 'sign-in'): string {
  return `/auth/${action}?${new URLSearchParams({ [NAME]: useReturnTo() })}`;
}

import type { LoaderFunctionArgs } from '@remix-run/node';
import { methodNotAllowed } from '../server/errors/redirects.ts';
import { beginSignIn } from './begin-sign-in.ts';

/** Redirects to the hosted login's sign-up page. */
export function loader(args: LoaderFunctionArgs) {
  return beginSignIn('sign-up', args);
}

export function action() {
  return methodNotAllowed('GET');
}

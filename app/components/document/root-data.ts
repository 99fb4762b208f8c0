import { useRouteLoaderData } from '@remix-run/react';
import type { loader } from '../../root.tsx';

/** What the root loader said; undefined where an error came before it. */
export function useRootData() {
  return useRouteLoaderData<typeof loader>('root');
}

import { useRouteLoaderData } from '@remix-run/react';
import type { loadRootData } from '~/server/rendering/root-data.ts';

/** The root loader's data. Undefined if the root loader failed. */
export function useRootData() {
  return useRouteLoaderData<typeof loadRootData>('root');
}

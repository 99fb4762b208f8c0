import { useRouteError } from '@remix-run/react';
import { useRef } from 'react';
import { useMounted } from '../ui/use-mounted.ts';

/** The error of the current page, and whether it is the server's: the document came with it. */
export function useDocumentError(): { error: unknown; isServers: boolean } {
  const error = useRouteError();
  const isMounted = useMounted();
  const first = useRef(isMounted ? undefined : error);
  return { error, isServers: error === first.current };
}

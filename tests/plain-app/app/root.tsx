import {
  isRouteErrorResponse,
  Link,
  Outlet,
  Scripts,
  useLocation,
  useRouteError,
  useRouteLoaderData,
} from '@remix-run/react';
import type { ReactNode } from 'react';
import { auth } from './session.server';

export const headers = auth.headers;

export const loader = auth.withSession(({ session }) => ({
  user: session.state === 'signed-in' ? session.user : null,
  hasEnded: session.state === 'ended',
}));

export function Layout({ children }: { children: ReactNode }) {
  const session = useRouteLoaderData<typeof loader>('root');
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>Notes</title>
      </head>
      <body>
        {session?.hasEnded ? <p>Your session has ended.</p> : null}
        {session?.user ? (
          <form method="post" action="/auth/sign-out">
            <p>{`Signed in as ${session.user.email}`}</p>
            <button type="submit">Sign out</button>
          </form>
        ) : (
          <a href="/auth/sign-in">Sign in</a>
        )}
        <nav>
          <Link to="/notes">Notes</Link> <Link to="/messages">Messages</Link>
        </nav>
        {children}
        <Scripts />
      </body>
    </html>
  );
}

export default function App() {
  return <Outlet />;
}

export function ErrorBoundary() {
  const error = useRouteError();
  const { pathname, search } = useLocation();
  // A guarded page that client-side code has asked for: the document leads to the sign-in.
  if (isRouteErrorResponse(error) && error.status === 401) {
    return <a href={pathname + search}>Sign in to see this page</a>;
  }
  return <h1>Error</h1>;
}
